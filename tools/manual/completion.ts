// Generates completion scripts for shells. The scripts contain all words, so completing does not
// start the program.
import { type CommandOutline, everyCommand } from './outline.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Returns a script to be sourced, or stored in the shell's folder of completions. */
export function completion(shell: Shell, root: CommandOutline, program: string): string {
  switch (shell) {
    case 'bash':
      return bashCompletion(root, program)
    case 'zsh':
      return `#compdef ${program}\nautoload -Uz bashcompinit && bashcompinit\n${bashCompletion(root, program)}`
    case 'fish':
      return fishCompletion(root, program)
  }
}

function bashCompletion(root: CommandOutline, program: string): string {
  const name = `_${program.replaceAll('-', '_')}`
  const all = [...everyCommand(root)]
  const steps = all.filter(({ words }) => words.length > 0)
  const path = steps.map(({ words }) => `'${words.join(' ')}'`).join('|')
  const global = root.options.flatMap(longNames)
  const cases = all.map((command) => {
    const below = command.commands.map((inner) => inner.words.at(-1)!)
    const options = command.words.length === 0 ? [] : command.options.flatMap(longNames)
    const words = [...below, ...options, ...global].join(' ')
    return `    '${command.words.join(' ')}') words='${words}' ;;\n`
  })
  const choices = all
    .flatMap(({ options, arguments: given }) => [...options, ...given])
    .filter((option) => option.choices !== undefined)
    .map(
      (option) => `    ${longNames(option).join('|')}) words='${option.choices!.join(' ')}' ;;\n`,
    )
  return [
    `${name}() {\n`,
    `  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}\n`,
    `  local path= words= word i\n`,
    `  for ((i = 1; i < COMP_CWORD; i++)); do\n`,
    `    word="\${path:+$path }\${COMP_WORDS[i]}"\n`,
    `    case "$word" in ${path}) path=$word ;; esac\n`,
    `  done\n`,
    `  case "$path" in\n`,
    ...cases,
    `  esac\n`,
    ...(choices.length === 0 ? [] : [`  case "$prev" in\n`, ...new Set(choices), `  esac\n`]),
    `  COMPREPLY=($(compgen -W "$words" -- "$cur"))\n`,
    `}\n`,
    // If no word matches, files are offered.
    `complete -o default -F ${name} ${program}\n`,
  ].join('')
}

const namesOf = ({ name, alias }: CommandOutline['options'][number]): string[] => [
  name,
  ...(alias === undefined ? [] : [alias].flat()),
]

const longNames = (option: CommandOutline['options'][number]): string[] =>
  namesOf(option)
    .filter((name) => name.length > 1)
    .map((name) => `--${name}`)

function fishCompletion(root: CommandOutline, program: string): string {
  const rules: string[] = []
  for (const command of everyCommand(root)) {
    const here = conditionOf(command)
    for (const inner of command.commands) {
      const word = inner.words.at(-1)!
      rules.push(`-n ${quoted(here)} -f -a ${word} -d ${quoted(inner.describe)}`)
    }
    for (const option of command.options) {
      const flags = namesOf(option).map((one) => (one.length === 1 ? `-s ${one}` : `-l ${one}`))
      const { choices, type, describe } = option
      const value = choices === undefined ? ' -r -F' : ` -x -a ${quoted(choices.join(' '))}`
      const where = command.words.length === 0 ? '' : `-n ${quoted(here)} `
      const valuePart = type === 'boolean' ? '' : value
      rules.push(`${where}${flags.join(' ')}${valuePart} -d ${quoted(describe)}`)
    }
  }
  return `${rules.map((rule) => `complete -c ${program} ${rule}`).join('\n')}\n`
}

/** Returns a condition that is true if the words so far name this command and no subcommand. */
function conditionOf({ words, commands }: CommandOutline): string {
  const below = commands.map((inner) => inner.words.at(-1)!).join(' ')
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`)
  const notBelow = below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`]
  return [...seen, ...notBelow].join('; and ')
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`
