// `svc-tools network`: queries running instances of a network.
import { answer, type CommandContext, KEY_VARIABLE, URL_OPTION } from './command-parts.ts'
import type { Parsed, Parser } from './terminal/index.ts'

const KEY_WORDS =
  `If the instance needs a key, set ${KEY_VARIABLE} in the environment to one with the action\n` +
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
        'Queries running instances of a network. Changes nothing; writes and searches continue.',
    )
    .demandCommand(1, 'say what to do with the network')

const statusOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 network status [--url URL]\n\n' +
        'Shows the view of one instance: the shards of each member, whether it is used at present,\n' +
        'and the running change of the network. The leader also shows the tasks that wait for an\n' +
        `unavailable member, and whether it gets its shards again. ${KEY_WORDS}`,
    )
    .option('url', URL_OPTION)
    .example(
      '$0 network status --url http://10.0.0.1:7700',
      'query the leader, which has most information',
    )
    .example("$0 network status --json | jq '.remotes[].backlog'", 'for programs')

async function runStatus(context: CommandContext, parsed: Parsed): Promise<void> {
  const { instanceOf, readStatus, statusText } = await import('./network/index.ts')
  const result = await readStatus(instanceOf(parsed))
  answer(context, parsed, { result, text: statusText, problems: 0 })
}

const verifyOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 network verify [--url URL]\n\n' +
        'The instance requests a digest of the documents of all members, by index and shard, and of\n' +
        'their settings, and compares them. Owners of a shard must have the same documents. An\n' +
        'instance digests 100,000 documents in about a second, and unchanged ones only once.\n' +
        `Exit code 1: they differ, or one does not answer. ${KEY_WORDS}`,
    )
    .option('url', URL_OPTION)
    .example('$0 network verify', 'after an outage')
    .example('until $0 network verify; do sleep 5; done', 'wait until all have caught up')

async function runVerify(context: CommandContext, parsed: Parsed): Promise<void> {
  const { instanceOf, readReplicas, replicasText } = await import('./network/index.ts')
  const result = await readReplicas(instanceOf(parsed))
  const problems = result.verdict === 'equal' ? 0 : 1
  answer(context, parsed, { result, text: replicasText, problems })
}

const planOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 network plan CHANGE [--url URL]\n\n' +
        'CHANGE is the body of PATCH /network: JSON, or @FILE. It is checked like there, and the\n' +
        'documents that each instance would receive, send and delete are counted. Query the leader:\n' +
        `only it may change the network. ${KEY_WORDS}`,
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
