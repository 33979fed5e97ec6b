// `npm run coverage`: the share of its statements that the tests of each room execute by themselves.
// A test beside a line that it never executes cannot notice that the line is wrong. Takes half an
// hour for all rooms, so it runs at night.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { FLOOR, FLOORS } from './floors.table.ts'
import { countOf, type FileCoverage, linesNotExecuted } from './gaps.ts'

const HELP = `usage: npm run coverage -- [--room FOLDER]... [--lines]

Runs the tests of each room (default: all) and prints how many of the room's
statements they execute. Ends with 1 if a room has less than its floor in
scripts/coverage/floors.table.ts, or needs its row there no longer.

  --room FOLDER   a folder, such as engine/network; may be repeated
  --lines         also prints the lines that are not executed, or not in each branch
`

/** Folders whose folders are rooms. */
const PARENTS = ['format', 'engine', 'engine/read', 'engine/write', 'server', 'tools']
/** Pieces of tests, and data. */
const LEFT_OUT = ['**/*.test.ts', '**/test-*.ts', '**/fake-*.ts', '**/*.table.ts']
/** A row is needed no longer when the share is so much above the usual floor. */
const MARGIN = 0.005
/** Characters of the output of failed tests. */
const WORDS_SHOWN = 4000

const rooms = (): string[] =>
  PARENTS.flatMap((parent) =>
    readdirSync(parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
      .map((entry) => join(parent, entry.name))
      .filter((room) => !PARENTS.includes(room)),
  )

/** Runs the tests below a room; returns null if they fail, with their last words in the output. */
function coverageOf(room: string): ReadonlyMap<string, FileCoverage> | null {
  const folder = mkdtempSync(join(tmpdir(), 'svc-coverage-'))
  try {
    const options = {
      enabled: 'true',
      include: `${room}/**/*.ts`,
      reporter: 'json',
      reportsDirectory: folder,
    }
    const words = Object.entries(options).map(([name, value]) => `--coverage.${name}=${value}`)
    const leftOut = LEFT_OUT.map((pattern) => `--coverage.exclude=${pattern}`)
    const tests = ['run', `${room}/`, '--project', 'shared', '--project', 'alone']
    const vitest = join('node_modules', 'vitest', 'vitest.mjs')
    const { status, stdout } = spawnSync(
      process.execPath,
      [vitest, ...tests, '--passWithNoTests', ...words, ...leftOut],
      { encoding: 'utf8', maxBuffer: 2 ** 28 },
    )
    if (status !== 0) {
      console.log(`the tests of ${room} fail:\n${stdout.slice(-WORDS_SHOWN)}`)
      return null
    }
    const text = readFileSync(join(folder, 'coverage-final.json'), 'utf8')
    return new Map(Object.entries(JSON.parse(text) as { readonly [path: string]: FileCoverage }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const inPercent = (share: number): string => `${(share * 100).toFixed(1)} %`

/** Prints the row of a room; returns whether it is as the table says. */
function show(room: string, hasLines: boolean): boolean {
  const files = coverageOf(room)
  if (files === null) return false
  const { statements, executed } = countOf([...files.values()])
  const share = statements === 0 ? 1 : executed / statements
  const floor = FLOORS[room] ?? FLOOR
  const isUnneeded = FLOORS[room] !== undefined && share >= FLOOR + MARGIN
  const problem = share < floor ? `  below ${inPercent(floor)}` : isUnneeded ? '  needs no row' : ''
  const row = `${inPercent(share).padStart(7)}  ${executed} of ${statements}`.padEnd(24)
  console.log(`${row}${room}${problem}`)
  if (hasLines) {
    for (const [path, file] of files) {
      const lines = linesNotExecuted(file)
      if (lines.length > 0) console.log(`    ${relative(process.cwd(), path)}: ${lines.join(' ')}`)
    }
  }
  return problem === ''
}

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true },
    lines: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})
if (values.help) process.stdout.write(HELP)
else {
  const wrong = (values.room ?? rooms()).filter((room) => !show(room, values.lines))
  process.exit(wrong.length > 0 ? 1 : 0)
}
