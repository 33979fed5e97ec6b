// The manual of a small program: each part of a declaration, and the characters that troff, shells
// and Markdown treat in their own way.
import { expect, it } from 'vitest'
import { completion, manualPages, outlineOf } from './index.ts'
import { toolsPage } from './markdown.ts'
import { describeText, optionText, sentence } from './outline.ts'

const outline = outlineOf((parser) =>
  parser
    .usage('$0 COMMAND\n\nDoes "things" with\nfiles.\n\n.Second \\ paragraph')
    .option('db', { alias: ['db-path', 'd'], type: 'string', describe: 'The folder' })
    .help('help', 'Shows help')
    .alias('help', 'h')
    .version('version', 'Shows the release', '1.2.3')
    .epilogue('It ends with 0.')
    .command('db', 'Commands on a database', (group) =>
      group
        .command('size [file]', "Shows the sizes | of a database's files", (one) =>
          one
            .usage('$0 db size [file]\n$0 db size --svg FILE\n\nReads only.')
            .positional('file', { type: 'string', describe: 'A file', default: 'x' })
            .option('format', { type: 'string', describe: 'How', choices: ['a', 'b'] })
            .option('n', { type: 'number', describe: 'How many', default: 0 })
            .option('all', { type: 'boolean', describe: 'All', default: false })
            .example('$0 db size', 'shows them'),
        )
        .command('check', 'Checks it', (one) => one),
    )
    .command('doctor', 'Examines the machine!', (one) =>
      one.option('json', { type: 'boolean', describe: 'JSON', default: true }),
    ),
)

it('has a page for each command', () => {
  const pages = manualPages(outline, { program: 'tool', release: '1.2.3', summary: 'Does things' })
  expect(pages.map(({ name }) => name)).toEqual(['tool.1', 'tool-db.1', 'tool-doctor.1'])
  expect(pages.map(({ text }) => text).join('---\n')).toMatchInlineSnapshot(`
    ".TH TOOL 1 "" "tool 1.2.3" "Svc Search"
    .SH NAME
    tool \\- Does things
    .SH SYNOPSIS
    .B tool
    .I command
    [options]
    .SH DESCRIPTION
    Does \\(dqthings\\(dq with files.
    .PP
    \\&.Second \\e paragraph
    .PP
    .SH COMMANDS
    .TP
    .B tool\\-db(1)
    Commands on a database.
    .TP
    .B tool\\-doctor(1)
    Examines the machine!
    .SH OPTIONS
    .TP
    .B \\-\\-db TEXT, \\-\\-db\\-path TEXT, \\-d TEXT
    The folder.
    .TP
    .B \\-\\-help, \\-h
    Shows help.
    .TP
    .B \\-\\-version
    Shows the release.
    .SH EXIT STATUS
    .TP
    .B 0
    Fine.
    .TP
    .B 1
    Problems were found: damage, differences, possible repairs.
    .TP
    .B 2
    The command failed, or the command line is wrong.
    ---
    .TH TOOL\\-DB 1 "" "tool 1.2.3" "Svc Search"
    .SH NAME
    tool\\-db \\- Commands on a database
    .SH SYNOPSIS
    tool db size [file]
    .br
    tool db size \\-\\-svg FILE
    .br
    tool db check
    .br
    .SH DB SIZE
    Shows the sizes | of a database's files.
    .PP
    Reads only.
    .PP
    .SS Options
    .TP
    .I FILE
    A file; default: x.
    .TP
    .B \\-\\-format TEXT
    How (one of a, b).
    .TP
    .B \\-n N
    How many; default: 0.
    .TP
    .B \\-\\-all
    All.
    .SS Examples
    .TP
    .B tool db size
    shows them.
    .SH DB CHECK
    Checks it.
    .PP
    .SH EXIT STATUS
    .TP
    .B 0
    Fine.
    .TP
    .B 1
    Problems were found: damage, differences, possible repairs.
    .TP
    .B 2
    The command failed, or the command line is wrong.
    .SH SEE ALSO
    .BR tool (1)
    ---
    .TH TOOL\\-DOCTOR 1 "" "tool 1.2.3" "Svc Search"
    .SH NAME
    tool\\-doctor \\- Examines the machine!
    .SH SYNOPSIS
    tool doctor [options]
    .br
    .SH DESCRIPTION
    Examines the machine!
    .PP
    .SH OPTIONS
    .TP
    .B \\-\\-json
    JSON; default: true.
    .SH EXIT STATUS
    .TP
    .B 0
    Fine.
    .TP
    .B 1
    Problems were found: damage, differences, possible repairs.
    .TP
    .B 2
    The command failed, or the command line is wrong.
    .SH SEE ALSO
    .BR tool (1)
    "
  `)
})

it('is a page of documentation', () => {
  expect(toolsPage(outline, 'tool')).toMatchInlineSnapshot(`
    "# tool

    \`tool COMMAND --help\` and the [manual pages](man) show the same.

    Does "things" with files.

    .Second \\ paragraph

    It ends with 0.

    | command | description |
    |---|---|
    | [\`db size [file]\`](#db-size) | Shows the sizes \\| of a database's files |
    | [\`db check\`](#db-check) | Checks it |
    | [\`doctor\`](#doctor) | Examines the machine! |

    Options of every command:

    - \`--db TEXT, --db-path TEXT, -d TEXT\`: The folder.
    - \`--help, -h\`: Shows help.
    - \`--version\`: Shows the release.

    ## db size

    Shows the sizes | of a database's files.

    \`\`\`
    tool db size [file]
    tool db size --svg FILE
    \`\`\`

    Reads only.

    - \`FILE\`: A file; default: x.
    - \`--format TEXT\`: How (one of a, b).
    - \`-n N\`: How many; default: 0.
    - \`--all\`: All.

    \`\`\`sh
    tool db size   # shows them
    \`\`\`

    ## db check

    Checks it.

    \`\`\`
    tool db check
    \`\`\`

    ## doctor

    Examines the machine!

    \`\`\`
    tool doctor [options]
    \`\`\`

    - \`--json\`: JSON; default: true.
    "
  `)
})

it('completes words in shells', () => {
  expect(completion('fish', outline, 'tool')).toMatchInlineSnapshot(`
    "complete -c tool -n 'not __fish_seen_subcommand_from db doctor' -f -a db -d 'Commands on a database'
    complete -c tool -n 'not __fish_seen_subcommand_from db doctor' -f -a doctor -d 'Examines the machine!'
    complete -c tool -l db -l db-path -s d -r -F -d 'The folder'
    complete -c tool -l help -s h -d 'Shows help'
    complete -c tool -l version -d 'Shows the release'
    complete -c tool -n '__fish_seen_subcommand_from db; and not __fish_seen_subcommand_from size check' -f -a size -d 'Shows the sizes | of a database\\'s files'
    complete -c tool -n '__fish_seen_subcommand_from db; and not __fish_seen_subcommand_from size check' -f -a check -d 'Checks it'
    complete -c tool -n '__fish_seen_subcommand_from db; and __fish_seen_subcommand_from size' -l format -x -a 'a b' -d 'How'
    complete -c tool -n '__fish_seen_subcommand_from db; and __fish_seen_subcommand_from size' -s n -r -F -d 'How many'
    complete -c tool -n '__fish_seen_subcommand_from db; and __fish_seen_subcommand_from size' -l all -d 'All'
    complete -c tool -n '__fish_seen_subcommand_from doctor' -l json -d 'JSON'
    "
  `)
  expect(completion('bash', outline, 'my-tool')).toMatchInlineSnapshot(`
    "_my_tool() {
      local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
      local path= words= word i
      for ((i = 1; i < COMP_CWORD; i++)); do
        word="\${path:+$path }\${COMP_WORDS[i]}"
        case "$word" in 'db'|'db size'|'db check'|'doctor') path=$word ;; esac
      done
      case "$path" in
        '') words='db doctor --db --db-path --help --version' ;;
        'db') words='size check --db --db-path --help --version' ;;
        'db size') words='--format --all --db --db-path --help --version' ;;
        'db check') words='--db --db-path --help --version' ;;
        'doctor') words='--json --db --db-path --help --version' ;;
      esac
      case "$prev" in
        --format) words='a b' ;;
      esac
      COMPREPLY=($(compgen -W "$words" -- "$cur"))
    }
    complete -o default -F _my_tool my-tool
    "
  `)
  const [first, second, ...rest] = completion('zsh', outline, 'my-tool').split('\n')
  expect([first, second]).toEqual(['#compdef my-tool', 'autoload -Uz bashcompinit && bashcompinit'])
  expect(rest.join('\n')).toBe(completion('bash', outline, 'my-tool'))
})

it('describes options', () => {
  const option = { name: 'n', describe: 'How many', type: 'number' } as const
  expect([
    optionText(option),
    optionText({ ...option, name: 'db', alias: 'd', type: 'string' }),
    optionText({ ...option, name: 'all', type: 'boolean' }),
    describeText(option),
    describeText({ ...option, default: 0 }),
    describeText({ ...option, default: '' }),
    describeText({ ...option, type: 'boolean', default: false }),
    describeText({ ...option, type: 'boolean', default: true }),
    describeText({ ...option, choices: ['a', 'b'] }),
    sentence('a'),
    sentence('a?'),
    sentence('a!'),
  ]).toEqual([
    '-n N',
    '--db TEXT, -d TEXT',
    '--all',
    'How many.',
    'How many; default: 0.',
    'How many.',
    'How many.',
    'How many; default: true.',
    'How many (one of a, b).',
    'a.',
    'a?',
    'a!',
  ])
})
