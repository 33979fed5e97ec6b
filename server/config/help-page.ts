// The pages of `--help` (all options) and `-h` (the common ones), fitted to the terminal.
import { absentWords, flagName, type Option, type OptionGroup, variableName } from './option.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'
import { programName } from './usage.ts'

/** Wider lines are hard to read; narrower ones would break the names of options. */
const COLUMNS_MAX = 100
const COLUMNS_MIN = 40
const INDENT = '          '

/** Options that `-h` shows. */
const COMMON: readonly OptionName[] = [
  'configFilePath',
  'dbPath',
  'env',
  'httpAddr',
  'masterKey',
  'logLevel',
  'maxIndexingMemory',
  'importDump',
  'importSnapshot',
  'scheduleSnapshot',
]

/** `columns`: width of the terminal. */
export function helpPage(columns: number): string {
  const width = widthOf(columns)
  const groups = new Map<OptionGroup, string[]>()
  for (const name of OPTION_NAMES) {
    const option = OPTIONS[name] as Option<unknown>
    if (option.environmentOnly === true) continue
    const entries = groups.get(option.group) ?? []
    entries.push(entryOf(name, width))
    groups.set(option.group, entries)
  }
  const parts = [...groups].map(([group, entries]) => `${group}:\n${entries.join('\n')}`)
  return `${[head(), ...parts, helpEntries(), epilogue(width)].join('\n\n')}\n`
}

export function shortHelpPage(columns: number): string {
  const width = widthOf(columns)
  const entries = COMMON.map((name) => entryOf(name, width)).join('\n')
  const all = `${programName()} --help shows all options and their variables.`
  return `${[head(), `Common options:\n${entries}`, helpEntries(), all].join('\n\n')}\n`
}

const widthOf = (columns: number): number => Math.max(COLUMNS_MIN, Math.min(COLUMNS_MAX, columns))

const head = (): string =>
  `Usage: ${programName()} [OPTIONS]\n\nA search engine for your own machine, over HTTP.`

const helpEntries = (): string =>
  [
    'Help:',
    '  -h             The most common options.',
    '  --help         All options.',
    '  -V, --version  The release.',
  ].join('\n')

/** Formats the flag with its values, then its description and its default. */
function entryOf(name: OptionName, width: number): string {
  const option = OPTIONS[name] as Option<unknown>
  const { type, alias, help } = option
  const flags = [name, ...(alias === undefined ? [] : [alias])].map((one) => `--${flagName(one)}`)
  const value = type.isFlag ? '' : ` <${valueWords(type.words)}>`
  const bounds = type.words.startsWith('whole number') ? ` (${type.words})` : ''
  const absent = type.isFlag ? '' : ` ${unbroken(`[default: ${absentWords(option)}]`)}`
  const text = wrapped(`${help}${bounds}${absent}`, width - INDENT.length)
  return [`  ${flags.join(', ')}${value}`, ...text.map((line) => INDENT + line)].join('\n')
}

/** Returns the placeholder of a value, such as `development|production`, `PATH` or `N`. */
function valueWords(words: string): string {
  if (words.startsWith('whole number')) return words.endsWith('unlimited') ? 'N|unlimited' : 'N'
  return words.includes(', ') ? words.replaceAll(', ', '|') : words.toUpperCase()
}

function epilogue(width: number): string {
  const text =
    'Every option can also be given as an environment variable or in the configuration file ' +
    '(TOML): --http-addr is SVC_HTTP_ADDR there and http_addr here. The command line overrides ' +
    'the environment, the environment over the file.'
  const sizes = 'Sizes have a unit, such as 100 MB or 2 GiB; without a unit they are bytes.'
  const paragraphs = [text, sizes].map((one) => wrapped(one, width).join('\n'))
  return [...paragraphs, `Environment variables without a flag:\n${variablesText()}`].join('\n\n')
}

/** Lists variables without a flag, one per line, with the default. */
function variablesText(): string {
  const alone = OPTION_NAMES.filter((name) => (OPTIONS[name] as Option<unknown>).environmentOnly)
  return alone
    .map((name) => `  ${variableName(name)}  [default: ${absentWords(OPTIONS[name])}]`)
    .join('\n')
}

const NO_BREAK = '\u00a0'

/** Keeps a text on one line in `wrapped`. */
const unbroken = (text: string): string => text.replaceAll(' ', NO_BREAK)

/** Breaks a text into lines of at most `width` characters; a longer word stays whole. */
function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line += line === '' ? word : ` ${word}`
  }
  return [...lines, line].map((one) => one.replaceAll(NO_BREAK, ' '))
}
