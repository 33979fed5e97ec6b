// Manual pages in the man macros of troff: one for the program, and one for each command with its
// subcommands.
import {
  type CommandOutline,
  describeText,
  everyCommand,
  named,
  optionText,
  partsOfUsage,
  sentence,
} from './outline.ts'

export type ManualOptions = {
  readonly program: string
  readonly release: string
  /** A short description of the program. */
  readonly summary: string
}

export type ManualPage = { readonly name: string; readonly text: string }

/** `svc-tools.1`, `svc-tools-db.1`, … */
export function manualPages(root: CommandOutline, options: ManualOptions): readonly ManualPage[] {
  const { program } = options
  const pages = root.commands.map((command) => {
    const name = `${program}-${command.words.join('-')}`
    return { name: `${name}.1`, text: commandPage(name, command, options) }
  })
  return [{ name: `${program}.1`, text: programPage(root, options) }, ...pages]
}

function programPage(root: CommandOutline, options: ManualOptions): string {
  const { program, summary } = options
  const { paragraphs } = partsOfUsage(root, program)
  const commands = root.commands.flatMap(({ words, describe }) => [
    '.TP',
    `.B ${roff(`${program}-${words.join('-')}(1)`)}`,
    roff(sentence(describe)),
  ])
  return lines([
    ...head(program, summary, options),
    '.SH SYNOPSIS',
    `.B ${roff(program)}`,
    '.I command',
    '[options]',
    '.SH DESCRIPTION',
    ...paragraphs.flatMap((text) => [roff(text), '.PP']),
    '.SH COMMANDS',
    ...commands,
    '.SH OPTIONS',
    ...optionLines(root),
    ...exampleLines(root, program),
    ...exitLines(root),
  ])
}

function commandPage(name: string, command: CommandOutline, options: ManualOptions): string {
  const { program } = options
  const all = [...everyCommand(command)].filter((one) => one.commands.length === 0)
  const { paragraphs } = partsOfUsage(command, program)
  const isGroup = command.commands.length > 0
  return lines([
    ...head(name, command.describe, options),
    '.SH SYNOPSIS',
    ...all.flatMap((one) => [
      ...partsOfUsage(one, program).synopsis.flatMap((line) => [roff(line), '.br']),
    ]),
    ...(isGroup && paragraphs.length > 0
      ? ['.SH DESCRIPTION', ...paragraphs.flatMap((text) => [roff(text), '.PP'])]
      : []),
    ...all.flatMap((one) => sectionOf(one, options, isGroup)),
    '.SH EXIT STATUS',
    ...EXIT.flatMap(([code, words]) => ['.TP', `.B ${code}`, roff(words)]),
    '.SH SEE ALSO',
    `.BR ${roff(program)} (1)`,
  ])
}

function sectionOf(
  command: CommandOutline,
  { program }: ManualOptions,
  isPart: boolean,
): readonly string[] {
  const { paragraphs } = partsOfUsage(command, program)
  const title = isPart ? `.SH ${roff(command.words.join(' ').toUpperCase())}` : '.SH DESCRIPTION'
  const sub = isPart ? '.SS' : '.SH'
  return [
    title,
    roff(sentence(command.describe)),
    '.PP',
    ...paragraphs.flatMap((text) => [roff(text), '.PP']),
    ...(command.arguments.length + command.options.length === 0
      ? []
      : [`${sub} ${isPart ? 'Options' : 'OPTIONS'}`, ...optionLines(command)]),
    ...exampleLines(command, program, isPart),
  ]
}

const EXIT = [
  ['0', 'Fine.'],
  ['1', 'Problems were found: damage, differences, possible repairs.'],
  ['2', 'The command failed, or the command line is wrong.'],
] as const

const head = (name: string, describe: string, { program, release }: ManualOptions): string[] => [
  `.TH ${roff(name.toUpperCase())} 1 "" "${roff(`${program} ${release}`)}" "Svc Search"`,
  '.SH NAME',
  `${roff(name)} \\- ${roff(describe)}`,
]

const optionLines = (command: CommandOutline): string[] => [
  ...command.arguments.flatMap((option) => [
    '.TP',
    `.I ${roff(option.name.toUpperCase())}`,
    roff(describeText(option)),
  ]),
  ...command.options.flatMap((option) => [
    '.TP',
    `.B ${roff(optionText(option))}`,
    roff(describeText(option)),
  ]),
]

function exampleLines({ examples }: CommandOutline, program: string, isPart = false): string[] {
  if (examples.length === 0) return []
  return [
    isPart ? '.SS Examples' : '.SH EXAMPLES',
    ...examples.flatMap(({ line, text }) => [
      '.TP',
      `.B ${roff(named(line, program))}`,
      roff(sentence(text)),
    ]),
  ]
}

const exitLines = ({ epilogue }: CommandOutline): string[] =>
  epilogue === ''
    ? []
    : ['.SH EXIT STATUS', ...EXIT.flatMap(([code, words]) => ['.TP', `.B ${code}`, roff(words)])]

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`

/** Escapes text for troff: no escapes, no broken hyphens, no line that is a request. */
function roff(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('…', '...')
    .replaceAll('›', '>')
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
