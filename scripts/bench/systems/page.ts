// The generated parts of docs/performance.md and of the README: tables and links to plots.
import { figureText } from './plot.ts'
import { type DataResult, METRIC_NAMES, METRICS, type MetricName, type Results } from './results.ts'

const PART = /(<!-- performance -->\n)[\s\S]*?(<!-- end of performance -->)/

const withPart = (text: string, part: string): string =>
  text.replace(PART, (_whole, start, end) => `${start}\n${part}\n${end}`)

/** Name of the plot of the n-th set of data, in docs/images. */
export const plotName = (n: number): string => `performance-${n + 1}.svg`

export const withReport = (page: string, results: Results): string =>
  withPart(page, [machineText(results), meaningText(), ...results.data.map(dataText)].join('\n\n'))

const README_METRICS: readonly MetricName[] = [
  'bulkSeconds',
  'bulkMemory',
  'disk',
  'updateSeconds',
  'searchMs',
  'searchesPerSecond',
  'restartMs',
]

export function withShortTable(readme: string, results: Results): string {
  const [first] = results.data
  if (first === undefined) return readme
  const head = `${first.documents.toLocaleString('en')} ${first.name} (${megabytesText(first)} of JSON), ${machineName(results)}${isQuiet(results) ? '' : ' (used by other programs as well)'}, ${results.date}:`
  return withPart(readme, `${head}\n\n${systemsTable(first, README_METRICS)}`)
}

const megabytesText = ({ bytes }: DataResult): string => `${(bytes / 1e6).toFixed(1)} MB`

const machineName = ({ cpu, processors, node }: Results): string =>
  `${processors} × ${cpu}, Node ${node}`

/** More processors used by others than this make the times of a run useless. */
const QUIET_PROCESSORS_MAX = 0.1

const isQuiet = ({ otherProcessors }: Results): boolean => otherProcessors <= QUIET_PROCESSORS_MAX

function machineText(results: Results): string {
  const { date, commit, memoryBytes, platform, rounds, otherProcessors } = results
  const facts = [
    `Measured on ${date} at commit \`${commit}\` by \`npm run bench -- --report\``,
    `${machineName(results)}, ${Math.round(memoryBytes / 2 ** 30)} GiB, ${platform}`,
    `median of ${rounds} rounds, lowest and highest in brackets`,
  ]
  const warning = isQuiet(results)
    ? ''
    : `\n\n**The machine was not quiet: other programs used ${otherProcessors.toFixed(1)} processors. Its times are too long. Differences of times below a third mean nothing. CPU, memory and disk are usable.**`
  return `${facts.join('; ')}.${warning}`
}

function meaningText(): string {
  const rows = METRIC_NAMES.map((name) => {
    const { title, unit, about } = METRICS[name]
    return `| ${title} | ${unit} | ${about} |`
  })
  return ['| figure | unit | measured |', '|---|---|---|', ...rows].join('\n')
}

function dataText(data: DataResult, n: number): string {
  const { name, documents, systems } = data
  const head = `## ${documents.toLocaleString('en')} ${name}, ${megabytesText(data)} of JSON`
  const names = systems.map((system) => system.name)
  const rows = METRIC_NAMES.map((metric) => {
    const cells = systems.map(({ figures }) => cellText(figures[metric]))
    return `| ${METRICS[metric].title}, ${METRICS[metric].unit} | ${cells.join(' | ')} |`
  })
  const libraries = systems.filter(({ isServer }) => !isServer).map((system) => system.name)
  const note =
    libraries.length === 0
      ? []
      : [
          '',
          `${libraries.join(' and ')} run inside the measuring process: without HTTP, without whole documents in answers, without typo tolerance.`,
        ]
  return [
    head,
    '',
    `| | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---:|').join('')}`,
    ...rows,
    ...note,
    '',
    `![A bar for each system and figure of ${name}](images/${plotName(n)})`,
  ].join('\n')
}

function cellText(range: { median: number; min: number; max: number } | undefined): string {
  if (range === undefined) return '–'
  const [median, min, max] = [range.median, range.min, range.max].map(figureText)
  return min === max ? median! : `${median} (${min}–${max})`
}

function systemsTable({ systems }: DataResult, metrics: readonly MetricName[]): string {
  const heads = metrics.map((metric) => `${METRICS[metric].title}, ${METRICS[metric].unit}`)
  const rows = systems.map(({ name, figures }) => {
    const cells = metrics.map((metric) => {
      const range = figures[metric]
      return range === undefined ? '–' : figureText(range.median)
    })
    return `| ${name} | ${cells.join(' | ')} |`
  })
  return [`| | ${heads.join(' | ')} |`, `|---|${heads.map(() => '---:|').join('')}`, ...rows].join(
    '\n',
  )
}
