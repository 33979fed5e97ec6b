// Generates docs/config.toml from the table of options: every key with its default, commented out.
import { fileKey, type Option, type OptionGroup } from './option.ts'
import { OPTION_NAMES, OPTIONS } from './options.table.ts'

const HEAD = `# Configuration of Svc Search. The server reads ./config.toml, or the file that --config-file-path
# or SVC_CONFIG_FILE_PATH names. Flags and environment variables override it. This file has every
# key with its default, or with an example if there is no default: remove the \`#\` to set it.
`

/** Example values for types of options without a default, by the `words` of the type. */
const EXAMPLES: { readonly [words: string]: string } = {
  path: '"path"',
  text: '"text"',
  URL: '"https://example.com/"',
  name: '"name"',
  source: '"objstore:data.ms"',
  size: '"2 GiB"',
  seconds: '86400',
  addresses: '["https://cdn.example.com"]',
  networks: '["10.0.0.0/8", "fd00::/8"]',
  'whole number from 1, or unlimited': '2',
}
/** Example value for whole numbers. */
const COUNT = '100'

export function configSample(): string {
  const groups = new Map<OptionGroup, string[]>()
  for (const name of OPTION_NAMES) {
    const option = OPTIONS[name] as Option<unknown>
    if (option.environmentOnly === true || option.notInFile === true) continue
    const entries = groups.get(option.group) ?? []
    entries.push(`\n${commentOf(option)}# ${fileKey(name)} = ${exampleOf(option)}\n`)
    groups.set(option.group, entries)
  }
  const parts = [...groups].map(([group, entries]) => `\n## ${group}\n${entries.join('')}`)
  return HEAD + parts.join('')
}

const commentOf = ({ help, absent, absentWords, later }: Option<unknown>): string => {
  const words = absentWords ?? (absent === null ? 'none' : null)
  const lines = [words === null ? help : `${help} Default: ${words}.`]
  if (later !== undefined) lines.push(`Accepted and checked, without effect: ${later}.`)
  return lines.map((line) => `## ${line}\n`).join('')
}

function exampleOf({ type, absent, absentWords }: Option<unknown>): string {
  if (absent === null || absent === Number.MAX_SAFE_INTEGER) {
    return EXAMPLES[type.words] ?? COUNT
  }
  if (typeof absent === 'object') return JSON.stringify(absentWords)
  if (type.words === 'size') return JSON.stringify(absentWords ?? String(absent))
  return JSON.stringify(absent)
}
