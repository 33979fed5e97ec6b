// The command line of the fuzzer, started by `run.mjs`. Every target gets its time box; a run
// prints its seed and accepts one. Exit: 0 nothing found, 1 something found, 2 wrong usage.
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { canaries } from './canary.ts'
import { fuzz, keepCorpus, keepFinding, type Options, type Places, replay } from './driver.ts'
import type { Report } from './protocol.ts'
import { targets } from './registry.ts'
import type { FuzzTarget } from './target.ts'

const USAGE = `node fuzz/run.mjs [options]

  --target NAME    only this target; may be repeated
  --seconds N      time box of each target, default 10
  --seed N         of the random generator, default by chance
  --input-ms N     an input that runs longer is a finding, default 2000
  --first          end at the first finding of a target
  --keep           make what reaches new code the new fuzz/corpus of the target
  --replay FILE    run one input, named NAME-… after its target
  --json           one line of JSON a target instead of text
  --list           the names of all targets
`

const FINDINGS_MAX = 10

const options = {
  target: { type: 'string', multiple: true },
  seconds: { type: 'string', default: '10' },
  seed: { type: 'string' },
  'input-ms': { type: 'string', default: '2000' },
  first: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  replay: { type: 'string' },
  json: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

type Flags = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** Runs the command. `root` is the repository, `worker` the bundled worker. */
export async function main(args: readonly string[], root: string, worker: URL): Promise<number> {
  const flags = flagsOf(args)
  if (typeof flags === 'string') return wrongUsage(flags)
  if (flags.help) return say(USAGE)
  if (flags.list) return say(`${targets.map(({ name }) => name).join('\n')}\n`)
  const places = {
    worker,
    corpus: join(root, 'fuzz', 'corpus'),
    found: join(root, 'fixtures', 'found'),
  }
  if (flags.replay !== undefined) return replayFile(flags.replay, flags, places)
  const known = [...targets, ...canaries]
  const chosen = flags.target === undefined ? targets : known.filter(isNamed(flags.target))
  if (chosen.length < (flags.target?.length ?? 0)) return wrongUsage('no such target: see --list')
  const options: Options = {
    seed: Number(flags.seed ?? randomInt(2 ** 32)),
    seconds: Number(flags.seconds),
    inputMsMax: Number(flags['input-ms']),
    findingsMax: flags.first ? 1 : FINDINGS_MAX,
    keep: flags.keep,
  }
  const numbers = [options.seed, options.seconds, options.inputMsMax]
  if (!numbers.every((n) => n >= 0)) return wrongUsage('numbers are expected')
  if (!flags.json) say(`seed ${options.seed}, ${options.seconds} s a target\n`)
  let found = 0
  for (const target of chosen) found += await runTarget(target, options, flags.json, places)
  return found === 0 ? 0 : 1
}

function flagsOf(args: readonly string[]): Flags | string {
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    // The errors of parseArgs describe the wrong argument.
    return (error as Error).message
  }
}

const isNamed = (names: readonly string[]) => (target: FuzzTarget) => names.includes(target.name)

const targetOf = (name: string): FuzzTarget | undefined =>
  [...targets, ...canaries].find((target) => target.name === name)

async function runTarget(
  target: FuzzTarget,
  options: Options,
  json: boolean,
  places: Places,
): Promise<number> {
  const report = await fuzz(target, options, places)
  // Findings of canaries were planted, so they are not stored as fixtures.
  const planted = canaries.includes(target)
  const names = report.findings.map((finding) =>
    planted ? finding.kind : keepFinding(target, finding, places.found),
  )
  if (options.keep) keepCorpus(target, report.kept, places.corpus)
  if (json) say(`${JSON.stringify(summaryOf(target, report, names))}\n`)
  else tell(target, report, names, options.seconds, places)
  return report.findings.length
}

function summaryOf(target: FuzzTarget, report: Report, names: readonly string[]): object {
  const { executions, pool, covered, refusedSeeds } = report
  const findings = report.findings.map(({ kind, message }, i) => ({
    kind,
    message,
    name: names[i],
  }))
  return { target: target.name, executions, pool, covered, refusedSeeds, findings }
}

function tell(
  target: FuzzTarget,
  report: Report,
  names: readonly string[],
  seconds: number,
  places: Places,
): void {
  const { executions, pool, covered, refusedSeeds, findings } = report
  const rate = seconds > 0 ? Math.round(executions / seconds) : executions
  const line = [
    target.name.padEnd(14),
    `${executions} runs`.padStart(14),
    `${rate}/s`.padStart(10),
    `pool ${pool}`.padStart(11),
    `covered ${covered}`.padStart(16),
  ]
  if (refusedSeeds > 0) line.push(`   ${refusedSeeds} seeds refused`)
  say(`${line.join('')}\n`)
  findings.forEach(({ kind, message }, i) => {
    const file = relative(process.cwd(), join(places.found, names[i]!))
    say(`\nFOUND ${kind}: ${message}\n  node fuzz/run.mjs --replay ${file}\n\n`)
  })
}

async function replayFile(file: string, flags: Flags, places: Places): Promise<number> {
  const name = basename(file)
  const target = targetOf(name.slice(0, name.lastIndexOf('-')))
  if (target === undefined) return wrongUsage(`no target belongs to ${name}`)
  const input = new Uint8Array(readFileSync(file))
  const findings = await replay(target, input, Number(flags['input-ms']), places)
  for (const { kind, message } of findings) say(`FOUND ${kind}: ${message}\n`)
  if (findings.length === 0) say('nothing found\n')
  return findings.length === 0 ? 0 : 1
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

function wrongUsage(message: string): number {
  process.stderr.write(`${message}\n\n${USAGE}`)
  return 2
}
