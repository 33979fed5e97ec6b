// Messages for features that are off.
import type { Feature } from '../../model/index.ts'

/** Prefix of the documentation link; the feature's name follows as an anchor. */
const FEATURE_DOCS_BASE =
  'https://github.com/svc-search/svc-search/blob/main/docs/experimental-features.md#'

/**
 * The name of each feature in messages. `personalization` is enabled by an option, not by a flag.
 */
const FEATURE_WORDS: { readonly [F in Feature | 'personalization']: string } = {
  metrics: 'metrics',
  logsRoute: 'logs route',
  tasksStreamingRoute: 'tasks streaming route',
  editDocumentsByFunction: 'edit documents by function',
  containsFilter: 'contains filter',
  dynamicSearchRules: 'dynamic search rules',
  network: 'network',
  getTaskDocumentsRoute: 'get task documents route',
  taskQueueCompactionRoute: 'task queue compaction route',
  compositeEmbedders: 'composite embedders',
  chatCompletions: 'chat completions',
  multimodal: 'multimodal',
  foreignKeys: 'foreign_keys',
  disableDocumentsFetchQueue: 'disable documents fetch queue',
  legacySearch: 'legacy search',
  renderRoute: 'render_route',
  mcpRoute: 'mcp route',
  personalization: 'personalization',
}

/**
 * Returns the message of a `feature_not_enabled` fault. `action`: the attempted action as the
 * subject of the sentence, such as "Using `CONTAINS` in a filter".
 */
export function featureRefusal(feature: Feature | 'personalization', action: string): string {
  const words = FEATURE_WORDS[feature]
  const anchor = words.replaceAll(' ', '-').replaceAll('_', '-')
  return (
    `${action} requires enabling the \`${words}\` experimental feature. ` +
    `See ${FEATURE_DOCS_BASE}${anchor}`
  )
}
