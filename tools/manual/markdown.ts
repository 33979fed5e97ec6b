// Generates the page docs/tools.md from the declarations of the commands.
import {
  type CommandOutline,
  describeText,
  everyCommand,
  named,
  optionText,
  partsOfUsage,
  sentence,
} from './outline.ts'

/** Returns one chapter per command, with a list of all commands first. */
export function toolsPage(root: CommandOutline, program: string): string {
  const all = [...everyCommand(root)].filter(({ commands }) => commands.length === 0)
  const { paragraphs } = partsOfUsage(root, program)
  const global = root.options.map(optionLine)
  return [
    `# ${program}\n\n\`${program} COMMAND --help\` and the [manual pages](man) show the same.\n\n`,
    paragraphs.map((text) => `${text}\n\n`).join(''),
    `${root.epilogue}\n\n`,
    '| command | description |\n|---|---|\n',
    ...all.map((one) => `| [\`${titleOf(one)}\`](#${anchorOf(one)}) | ${cell(one.describe)} |\n`),
    `\nOptions of every command:\n\n${global.join('')}`,
    ...all.map((one) => chapter(one, program)),
  ].join('')
}

const titleOf = ({ words, positionals }: CommandOutline): string =>
  [...words, ...positionals].join(' ')

const anchorOf = ({ words }: CommandOutline): string => words.join('-')

function chapter(command: CommandOutline, program: string): string {
  const { synopsis, paragraphs } = partsOfUsage(command, program)
  const list = [...command.arguments.map(argumentLine), ...command.options.map(optionLine)]
  const examples = command.examples.map(({ line, text }) => `${named(line, program)}   # ${text}\n`)
  return [
    `\n## ${command.words.join(' ')}\n\n${sentence(command.describe)}\n\n`,
    `\`\`\`\n${synopsis.join('\n')}\n\`\`\`\n`,
    ...paragraphs.map((text) => `\n${text}\n`),
    ...(list.length === 0 ? [] : ['\n', ...list]),
    ...(examples.length === 0 ? [] : ['\n```sh\n', ...examples, '```\n']),
  ].join('')
}

const argumentLine = (option: CommandOutline['arguments'][number]): string =>
  `- \`${option.name.toUpperCase()}\`: ${describeText(option)}\n`

const optionLine = (option: CommandOutline['options'][number]): string =>
  `- \`${optionText(option)}\`: ${describeText(option)}\n`

const cell = (text: string): string => text.replaceAll('|', '\\|')
