// `hostile`: runs every attack against a separate server, then many of them at the same time.
import { type Parser, type Terminal, table } from '../../tools/terminal/index.ts'
import { openBar } from './bar.ts'
import { amount, type Given } from './given.ts'
import { type Attack, FULL } from './hostile-attack.ts'
import { ATTACKS } from './hostile-attacks.table.ts'
import type { Bounds } from './hostile-inflict.ts'
import { missed, reportText, SUMMARY_COLUMNS, summaryRow } from './hostile-report.ts'
import { type AttackReport, Session } from './hostile-session.ts'

const BOUNDS: Bounds = {
  sizes: FULL,
  connectionShare: 1,
  requestsMax: Number.POSITIVE_INFINITY,
}
/** Items whose attacks run at the same time in the mixed run. */
const MIXED_ITEMS = [1, 2, 3, 4, 9]
/** Share of the connections of each attack in the mixed run. */
const MIXED_SHARE = 0.2
const MINUTE = 60
const INTERRUPTED = 130
const NO_SINGLE = 'none'

export const addHostileCommand = (commands: Parser, terminal: Terminal): Parser =>
  commands.command(
    'hostile',
    'Requests that are made to freeze, bloat or kill the server, while others are timed',
    (words) =>
      words
        .option('seconds', amount(10, 'Seconds of each attack'))
        .option('minutes', amount(2, 'Duration of the mixed run; 0 leaves it out'))
        .option('documents', amount(20_000, 'Documents of the database'))
        .option('attack', {
          describe: 'Runs only this attack; repeatable. `none`: the mixed run alone',
          choices: [...ATTACKS.map(({ name }) => name), NO_SINGLE],
          type: 'string',
          requiresArg: true,
        })
        .option('heap', { describe: 'Heap of the server in MB', type: 'number', requiresArg: true })
        .option('cpus', {
          describe: 'Processors of the server, as taskset reads them',
          type: 'string',
          requiresArg: true,
        })
        .option('json', {
          describe: 'Prints reports as JSON lines',
          type: 'boolean',
          default: false,
        }),
    (given) => run(given, terminal),
  )

async function run(given: Given, terminal: Terminal): Promise<void> {
  // An option that occurs once is a text, otherwise a list.
  const chosen = [given['attack'] ?? []].flat().map(String)
  const isAll = chosen.length === 0
  const attacks = ATTACKS.filter(({ name }) => isAll || chosen.includes(name))
  const minutes = isAll || chosen.includes(NO_SINGLE) ? Number(given['minutes']) : 0
  const session = new Session({
    documents: Number(given['documents']),
    heapMegabytes: given['heap'] === undefined ? null : Number(given['heap']),
    cpus: given['cpus'] === undefined ? null : String(given['cpus']),
  })
  // Servers and attackers end with this process, also after an interrupt.
  process.once('SIGINT', () => process.exit(INTERRUPTED))
  const reports: AttackReport[] = []
  const tell = (report: AttackReport): void => {
    reports.push(report)
    terminal.out(reportText(report, given['json'] === true))
  }
  const bar = openBar(terminal, attacks.length + 1)
  try {
    await session.fill()
    for (const [done, attack] of attacks.entries()) {
      bar(done, attack.name)
      tell(await session.inflict(attack.name, [attack], Number(given['seconds']), BOUNDS))
    }
    bar(attacks.length, 'many at once')
    if (minutes > 0) tell(await mixed(session, minutes * MINUTE))
    bar(attacks.length + 1, '')
  } finally {
    session.close()
  }
  if (given['json'] !== true) terminal.out(summaryText(reports, attacks))
  if (reports.some((report) => missed(report).length > 0)) process.exitCode = 1
}

const mixed = (session: Session, seconds: number): Promise<AttackReport> =>
  session.inflict(
    'many at once',
    ATTACKS.filter(({ item }) => MIXED_ITEMS.includes(item)),
    seconds,
    { ...BOUNDS, connectionShare: MIXED_SHARE },
  )

function summaryText(reports: readonly AttackReport[], attacks: readonly Attack[]): string {
  const itemOf = (name: string): string =>
    String(attacks.find((attack) => attack.name === name)?.item ?? '')
  const rows = reports.map((report) => summaryRow(itemOf(report.name), report))
  return `\n${table(SUMMARY_COLUMNS, rows)}\n`
}
