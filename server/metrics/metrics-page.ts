// Generates docs/metrics.md from the table of metrics.
import { quotedNames } from '../../format/errors.ts'
import { METRIC_NAMES, METRICS, PREFIX } from './metrics.table.ts'

const HEAD = `# Metrics

\`GET /metrics\` answers in the text format of Prometheus. The route is experimental: enable it with
\`--experimental-enable-metrics\`, or with \`PATCH /experimental-features\` with \`{"metrics": true}\`.
If the server has a master key, the request needs a key with the action \`metrics.get\` and access to all indexes.

\`\`\`yaml
scrape_configs:
  - job_name: svc-search
    authorization:
      credentials: <key with the action metrics.get>
    static_configs:
      - targets: ["localhost:7700"]
\`\`\`

[grafana/svc-search.json](grafana/svc-search.json) is a dashboard of all metrics: import it into Grafana and
choose the data source.

The server computes the values for each request to \`/metrics\`. It counts requests from its start, but
records response times only while the route is enabled. The label \`path\` is the path of a route. The first
hundred unknown paths have their own label, all others the label \`other\`. The package prom-client adds the metrics
\`process_*\` and \`nodejs_*\`.

| metric | type | labels | meaning |
|---|---|---|---|
`

export function metricsPage(): string {
  const rows = METRIC_NAMES.map((name) => {
    const { kind, labels, help } = METRICS[name]
    const shown = quotedNames(labels)
    return `| \`${PREFIX}${name}\` | ${kind} | ${shown} | ${help} |\n`
  })
  return HEAD + rows.join('')
}
