// Generates docs/launch-options.md from the table of options.
import {
  absentWords,
  fileKey,
  flagName,
  type Option,
  type OptionGroup,
  variableName,
} from './option.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'

const HEAD = `# Launch options

You can set every option as a command-line flag, an environment variable or a key of the configuration
file (TOML). The command line overrides the environment, the environment
overrides the file. \`svc-server --help\` shows the same list, \`svc-server -h\` the most common ones.

\`\`\`sh
svc-server --http-addr 0.0.0.0:7700 --db-path /var/lib/svc
SVC_HTTP_ADDR=0.0.0.0:7700 SVC_DB_PATH=/var/lib/svc svc-server
\`\`\`

\`\`\`toml
http_addr = "0.0.0.0:7700"
db_path = "/var/lib/svc"
\`\`\`

Switches have no value on the command line. As a variable or in the file their value is \`true\` or \`false\`. An empty variable
counts as unset. Sizes have a unit: \`100 MB\` (powers of 1000), \`2 GiB\` (powers of 1024), \`8 Mb\`
(bits); without a unit they are bytes. In the file they are strings. The server refuses to start
with an invalid option: exit code 2, or 1 if the option is in the file.

[config.toml](config.toml) is an example of the file with every key.
`

export function optionsPage(): string {
  const groups = new Map<OptionGroup, string[]>()
  for (const name of OPTION_NAMES) {
    const option = OPTIONS[name] as Option<unknown>
    const entries = groups.get(option.group) ?? []
    entries.push(entryOf(name, option))
    groups.set(option.group, entries)
  }
  const parts = [...groups].map(([group, entries]) => `## ${group}\n\n${entries.join('\n')}`)
  return [HEAD, ...parts].join('\n')
}

function entryOf(name: OptionName, option: Option<unknown>): string {
  const { type, help, later } = option
  const value = type.isFlag ? 'Off by default' : `${type.words}, default: ${absentWords(option)}`
  const lines = [`### ${titleOf(name, option)}`, '', `${help} *${value}.*`]
  if (later !== undefined) lines.push('', `Accepted and checked, without effect: ${later}.`)
  lines.push('', namesOf(name, option), '')
  return lines.join('\n')
}

const titleOf = (name: OptionName, { environmentOnly }: Option<unknown>): string =>
  environmentOnly === true ? variableName(name) : `--${flagName(name)}`

function namesOf(name: OptionName, option: Option<unknown>): string {
  const { environmentOnly, notInFile, alias } = option
  if (environmentOnly === true) return 'Can only be set as an environment variable.'
  const names = [`\`${variableName(name)}\``]
  if (notInFile !== true) names.push(`\`${fileKey(name)}\``)
  if (alias !== undefined) names.push(`also \`--${flagName(alias)}\``)
  return names.join(' · ')
}
