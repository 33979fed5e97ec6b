// `svc-tools network`: queries running instances of a network.
import { answer, type CommandContext, KEY_VARIABLE, URL_OPTION } from './command-parts.ts'
import type { Parsed, Parser } from './terminal/index.ts'

const KEY_WORDS =
  `Where the instance asks for a key, ${KEY_VARIABLE} in the environment is one with the action\n` +
  '`network.get`.'

export const networkCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command('status', 'Who holds what, and what waits for whom', statusOptions, (parsed) =>
      runStatus(context, parsed),
    )
    .command('verify', 'Do all instances have the same?', verifyOptions, (parsed) =>
      runVerify(context, parsed),
    )
    .command('plan <change>', 'What a change would move, without doing it', planOptions, (parsed) =>
      runPlan(context, parsed),
    )
    .usage(
      '$0 network <command>\n\n' +
        'Asks instances of a network that run. Changes nothing; writes and searches go on.',
    )
    .demandCommand(1, 'say what to do with the network')

const statusOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 network status [--url URL]\n\n' +
        'What one instance knows: the shards of each member, whether it is asked at present, the\n' +
        'change of the network that runs. The leader also tells which tasks wait for a member that\n' +
        `is away, and whether it gets its shards anew. ${KEY_WORDS}`,
    )
    .option('url', URL_OPTION)
    .example('$0 network status --url http://10.0.0.1:7700', 'ask the leader: it knows most')
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
        'The instance asks all members for a digest of their documents, by index and shard, and of\n' +
        'their settings, and compares them. Owners of a shard must have the same documents. An\n' +
        'instance counts 100,000 documents in about a second, and what has not changed only once.\n' +
        `Exit code 1: they are not equal, or one does not answer. ${KEY_WORDS}`,
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
        'CHANGE is what PATCH /network would get: JSON, or @FILE. It is checked as that route does,\n' +
        'and counted: which documents each instance would receive, send and delete. Ask the leader:\n' +
        `others may not change the network. ${KEY_WORDS}`,
    )
    .positional('change', { describe: 'JSON, or @FILE', type: 'string' })
    .option('url', URL_OPTION)
    .example(
      `$0 network plan '{"shards": {"s1": {"addRemotes": ["c"]}}}'`,
      'one replica more of a shard',
    )
    .example('$0 network plan @change.json --json', 'for programs')

async function runPlan(context: CommandContext, parsed: Parsed): Promise<void> {
  const { instanceOf, planText, readPlan } = await import('./network/index.ts')
  const result = await readPlan(instanceOf(parsed), String(parsed['change']))
  answer(context, parsed, { result, text: planText, problems: 0 })
}
