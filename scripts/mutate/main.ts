// `npm run mutate`: puts one small fault after another into the rooms that decide, and lists those
// that the tests of the same room do not notice. Hours for all rooms: it runs at night.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { randomOf } from '../../engine/store/storage/index.ts'
import { type Mutation, mutationsOf } from './mutations.ts'
import { EQUIVALENT, ROOMS, TESTED_IN } from './rooms.table.ts'
import { Trials } from './trial.ts'
import { TypeCheck } from './types.ts'

const HELP = `usage: npm run mutate -- [--room FOLDER]... [--shown PATTERN] [--every N] [--from K]
       npm run mutate -- --at FILE:LINE...
       npm run mutate -- --draw N [--seed S]

Puts one small fault at a time into the files of a room (default: the rooms of
scripts/mutate/rooms.table.ts) and runs the tests of that room. Prints faults that
no test noticed, and ends with 1 if there are any. Faults that the type check finds
do not count. Faults whose tests reached their time limit are listed as timed out.

  --room FOLDER   a folder, such as engine/write/tiers; may be repeated
  --shown PATTERN only the faults that, as a missed one is printed, match this regular
                  expression: '[<>]=? [A-Z_]+_M(AX|IN)\\b.*→' are those at limits
  --every N       only every Nth fault, for a sample
  --from K        begin with the Kth fault (from 0)
  --at FILE:LINE  only the faults of a line, as a missed one is printed; may be repeated
  --draw N        N faults drawn by lot from all rooms, not only those of the table
  --seed S        another lot (default 1)
`

const LAYERS = ['format', 'engine', 'server', 'tools']

type Fault = Mutation & { readonly file: string; readonly source: string }

function faultsOf(room: string): readonly Fault[] {
  const files = readdirSync(room)
    .filter(
      (name) => /^(?!test-|fake-|index\.).*\.ts$/.test(name) && !/\.(?:test|table)\./.test(name),
    )
    .map((name) => join(room, name))
  return files.flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    return mutationsOf(file, source).map((mutation) => ({ ...mutation, file, source }))
  })
}

const placeOf = ({ file, source, start }: Fault): string =>
  `${file}:${source.slice(0, start).split('\n').length}`

/** The line of a fault, as it is and with the fault. */
function shown(fault: Fault): string {
  const { source, start, end, text } = fault
  const from = source.lastIndexOf('\n', start) + 1
  const to = source.indexOf('\n', end) < 0 ? source.length : source.indexOf('\n', end)
  const line = (middle: string): string =>
    (source.slice(from, start) + middle + source.slice(end, to)).replace(/\s+/g, ' ').trim()
  return `${placeOf(fault)}  ${line(source.slice(start, end))}  →  ${line(text)}`
}

/** As `shown`, without the number of the line, which other changes move. */
const keyOf = (fault: Fault): string => shown(fault).replace(/:\d+ {2}/, ': ')

/** Draws faults of all rooms that pass the type check, each as likely as any other. */
function draw(count: number, seed: number): readonly Fault[] {
  const rooms = LAYERS.flatMap((layer) =>
    readdirSync(layer, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  const all = rooms.flatMap((room) => faultsOf(room))
  console.log(`${all.length} faults are known`)
  const random = randomOf(seed)
  const drawn: Fault[] = []
  while (drawn.length < count) {
    const fault = all[random.below(all.length)]!
    if (types().passes(fault.file, fault)) drawn.push(fault)
  }
  return drawn
}

let copy: TypeCheck | null = null
/** Made only when it is needed. @throws Error if the sources themselves do not pass */
function types(): TypeCheck {
  if (copy !== null) return copy
  copy = new TypeCheck(process.cwd())
  const unchanged = { kind: '', start: 0, end: 0, text: '' }
  if (!copy.passes('format/ids.ts', unchanged)) throw new Error('the sources have wrong types')
  return copy
}
process.once('exit', () => copy?.close())

async function mutate(room: string, faults: readonly Fault[]): Promise<number> {
  const trials = new Trials(process.cwd())
  let noticed = 0
  let [missed, equal, late] = [0, 0, 0]
  try {
    await trials.open(room, TESTED_IN[room])
    for (const fault of faults) {
      const outcome = await trials.run(fault.file, fault.source, fault)
      if (outcome === 'noticed') noticed++
      else if (outcome === 'timed out') {
        late++
        console.log(`timed out  ${shown(fault)}`)
      } else if (EQUIVALENT[keyOf(fault)] !== undefined) equal++
      else if (types().passes(fault.file, fault)) {
        missed++
        console.log(`missed  ${shown(fault)}`)
      }
    }
  } finally {
    await trials.close()
  }
  const refused = faults.length - noticed - late - missed - equal
  const others = `${equal} change nothing, ${refused} have wrong types`
  console.log(`${room}: ${noticed} of ${faults.length} faults noticed, ${missed} missed, ${others}`)
  if (late > 0) console.log(`${room}: ${late} timed out, which a busy machine may have caused`)
  return missed
}

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true },
    shown: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    at: { type: 'string', multiple: true },
    draw: { type: 'string' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) process.stdout.write(HELP)
else if (values.draw !== undefined) {
  let missed = 0
  for (const fault of draw(Number(values.draw), Number(values.seed))) {
    missed += await mutate(dirname(fault.file), [fault])
  }
  process.exit(missed > 0 ? 1 : 0)
} else {
  const places = values.at === undefined ? null : new Set(values.at)
  const rooms = places === null ? ROOMS : new Set([...places].map((place) => dirname(place)))
  const pattern = new RegExp(values.shown)
  const every = Number(values.every)
  const from = Number(values.from)
  let missed = 0
  for (const room of values.room ?? rooms) {
    const faults = faultsOf(room)
      .filter((fault) => places === null || places.has(placeOf(fault)))
      .filter((fault) => pattern.test(shown(fault)))
      .filter((_, at) => at >= from && (at - from) % every === 0)
    missed += await mutate(room, faults)
  }
  process.exit(missed > 0 ? 1 : 0)
}
