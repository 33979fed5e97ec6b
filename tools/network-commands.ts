// `svc-tools network`: queries running instances of a network.
import { answer, type CommandContext, KEY_VARIABLE, URL_OPTION } from './command-parts.ts'
import type { Parsed, Parser } from './terminal/index.ts'

const KEY_WORDS =
  `If the instance needs a key, set the variable ${KEY_VARIABLE} to a key with the action\n` +
  '`network.get`.'

export const networkCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command('status', 'Shows the owners of shards, and waiting tasks', statusOptions, (parsed) =>
      runStatus(context, parsed),
    )
    .command('verify', 'Checks that all instances have the same data', verifyOptions, (parsed) =>
      runVerify(context, parsed),
    )
    .command(
      'plan <change>',
      'Shows the documents that a change would move',
      planOptions,
      (parsed) => runPlan(context, parsed),
    )
    .usage(
      '$0 network <command>\n\n' +
        'Queries running instances of a network. Writes and searches continue. Changes nothing,\n' +
        'except `verify --repair`.',
    )
    .demandCommand(1, 'say what to do with the network')

const statusOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 network status [--url URL]\n\n' +
        'Shows the network as one instance knows it: the shards of each member, whether searches use\n' +
        'the member, and the running change of the network. The leader also shows the tasks that wait\n' +
        `for an unavailable member, and whether this member gets its shards again. ${KEY_WORDS}`,
    )
    .option('url', URL_OPTION)
    .example('$0 network status --url http://10.0.0.1:7700', 'the leader has most information')
    .example("$0 network status --json | jq '.remotes[].backlog'", 'for programs')

async function runStatus(context: CommandContext, parsed: Parsed): Promise<void> {
  const { instanceOf, readStatus, statusText } = await import('./network/index.ts')
  const result = await readStatus(instanceOf(parsed))
  answer(context, parsed, { result, text: statusText, problems: 0 })
}

const verifyOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 network verify [--repair [--wrong NAME]] [--url URL]\n\n' +
        'The instance requests digests (checksums) of the documents and settings of all members, for\n' +
        'each index and shard, and compares them. Owners of a shard must have the same documents. A\n' +
        'member computes the digest of 100,000 documents in about a second, and of unchanged\n' +
        'documents only once. Exit code 1: members differ, or a member does not answer. ' +
        `${KEY_WORDS}\n\n` +
        'With --repair, wrong instances get differing shards again from other owners; send this\n' +
        'command to the leader. Writes wait meanwhile. If the leader owns a shard, the leader is right,\n' +
        'otherwise the majority of the owners is right. The key needs `network.update`. Exit code 1:\n' +
        'some shard is not repaired.',
    )
    .option('repair', {
      describe: 'Send differing shards to wrong instances again',
      type: 'boolean',
      default: false,
    })
    .option('wrong', {
      describe: 'With --repair: an instance whose differing shards are wrong',
      type: 'string',
      requiresArg: true,
    })
    .option('url', URL_OPTION)
    .example('$0 network verify', 'after an outage')
    .example('$0 network verify --repair --wrong b', 'if two owners differ and neither leads')
    .example('until $0 network verify; do sleep 5; done', 'wait until all have caught up')

/** Verdicts of a comparison of all instances. */
const REPAIRABLE: ReadonlySet<string> = new Set(['equal', 'different'])

async function runVerify(context: CommandContext, parsed: Parsed): Promise<void> {
  const { instanceOf, readReplicas, repairReplicas, repairText, replicasText } = await import(
    './network/index.ts'
  )
  if (parsed['repair'] === true) {
    const wrong = parsed['wrong'] === undefined ? [] : [String(parsed['wrong'])]
    const repair = await repairReplicas(instanceOf(parsed), wrong)
    const isDone = repair.unclear.length === 0 && REPAIRABLE.has(repair.verdict)
    answer(context, parsed, { result: repair, text: repairText, problems: isDone ? 0 : 1 })
    return
  }
  const result = await readReplicas(instanceOf(parsed))
  const problems = result.verdict === 'equal' ? 0 : 1
  answer(context, parsed, { result, text: replicasText, problems })
}

const planOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 network plan CHANGE [--url URL]\n\n' +
        'CHANGE is the body of PATCH /network, as JSON or @FILE. The leader checks the change, and\n' +
        'counts the documents that each instance would receive, send and delete. --url must be the\n' +
        `leader, because only the leader may change the network. ${KEY_WORDS}`,
    )
    .positional('change', { describe: 'JSON, or @FILE', type: 'string' })
    .option('url', URL_OPTION)
    .example(
      `$0 network plan '{"shards": {"s1": {"addRemotes": ["c"]}}}'`,
      'one more replica of a shard',
    )
    .example('$0 network plan @change.json --json', 'for programs')

async function runPlan(context: CommandContext, parsed: Parsed): Promise<void> {
  const { instanceOf, planText, readPlan } = await import('./network/index.ts')
  const result = await readPlan(instanceOf(parsed), String(parsed['change']))
  answer(context, parsed, { result, text: planText, problems: 0 })
}
