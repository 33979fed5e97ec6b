// `svc-tools tasks`: the task queue of a database, read from its log.
import { asIndexUid, asTaskUid } from '../format/ids.ts'
import {
  answer,
  type CommandContext,
  countOf,
  databaseOf,
  limit,
  listOf,
  textOf,
  withDatabase,
} from './command-parts.ts'
import type { Parsed, Parser, YargsOption } from './terminal/index.ts'
import { ToolError } from './terminal/index.ts'

const filter = (describe: string): YargsOption => ({ describe, type: 'string', requiresArg: true })

export const taskCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command('list [folder]', 'Tasks, the newest first', listOptions, (parsed) =>
      runList(context, parsed),
    )
    .command('show <uid> [folder]', 'One task in full', showOptions, (parsed) =>
      runShow(context, parsed),
    )
    .usage(
      '$0 tasks <command>\n\n' +
        'Reads the task log, and the finished batches in the manifest. Writes nothing. Can be used\n' +
        'while a server runs: it shows the state of one moment, with running tasks as enqueued.',
    )
    .demandCommand(1, 'say what to do with the tasks')

const listOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 tasks list [FOLDER | --db PATH] [--status LIST] [--type LIST] [--index LIST]\n\n' +
        'One line per task. Lists are separated by commas; a task is shown if it matches all options.',
    )
    .option('status', filter('Only with these statuses: enqueued, succeeded, failed, canceled'))
    .option('type', filter('Only of these types: documentAdditionOrUpdate, …'))
    .option('index', filter('Only of these indexes'))
    .option('uid', filter('Only these tasks'))
    .option('batch', filter('Only of these batches'))
    .option('from', filter('Begin at this task'))
    .option('limit', limit(20, 'Number of tasks at most'))
    .option('reverse', { describe: 'The oldest first', type: 'boolean', default: false })
    .example('$0 tasks list --status failed', 'failed tasks')
    .example('$0 tasks list --status enqueued --reverse', 'what a server would do next')
    .example('$0 tasks list --json --limit 1000 | jq .total', 'for programs')

async function runList(context: CommandContext, parsed: Parsed): Promise<void> {
  const { listTasks, taskListText } = await import('./tasks/index.ts')
  const from = textOf(parsed, 'from')
  if (from !== null && !/^\d{1,10}$/.test(from))
    throw new ToolError('--from must be the uid of a task')
  const result = await listTasks(await databaseOf(parsed), {
    statuses: listOf(parsed, 'status'),
    kinds: listOf(parsed, 'type'),
    indexUids: listOf(parsed, 'index')?.map(asIndexUid) ?? null,
    uids: listOf(parsed, 'uid'),
    batchUids: listOf(parsed, 'batch'),
    from: from === null ? null : Number(from),
    limit: countOf(parsed, 'limit'),
    reverse: parsed['reverse'] === true,
  })
  answer(context, parsed, { result, text: taskListText, problems: 0 })
}

const showOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 tasks show UID [FOLDER | --db PATH]\n\n' +
        'The task as the API shows it. Exit code 1: there is no such task in the log.',
    )
    .positional('uid', { describe: 'The uid of a task', type: 'string' })
    .example('$0 tasks show 17 --db data.ms', 'its details and its error')

async function runShow(context: CommandContext, parsed: Parsed): Promise<void> {
  const { showTask, taskText } = await import('./tasks/index.ts')
  const uid = String(parsed['uid'])
  if (!/^\d{1,10}$/.test(uid)) throw new ToolError('UID is the number of a task')
  const result = await showTask(await databaseOf(parsed), asTaskUid(Number(uid)))
  answer(context, parsed, {
    result,
    text: (task) => (task === null ? `There is no task ${uid} in the log.\n` : taskText(task)),
    problems: result === null ? 1 : 0,
  })
}
