// `npm run newcomer`: packs the package, installs it in an empty folder, and repeats the steps of a
// new user there, mistakes included. It checks each message; the exit code is 1 if one is wrong.
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { backups, migration } from './backups.ts'
import { firstStart, keysAndTools, startMistakes, toolsAtRest } from './first-steps.ts'
import { install } from './installation.ts'
import { Place } from './place.ts'
import { Report } from './report.ts'

const HELP = `npm run newcomer -- [--installed FOLDER] [--dump FILE] [--keep]

Plays a new user from the packed package: install, start, index, mistakes, search, tools, backup,
restore, migration.

  --installed FOLDER  a folder with the package installed, instead of a new installation
  --dump FILE         a dump of Meilisearch for the migration, besides one that is made here
  --keep              keeps the folder, to look into it
`
/** A recorded dump, which is stored beside the checkout on some machines. */
const RECORDED = '../shared/conformance/dumps/rich.dump'
const USAGE = 2

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      installed: { type: 'string' },
      dump: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const write = (text: string): void => {
    process.stdout.write(text)
  }
  if (values.help) {
    write(HELP)
    return 0
  }
  const root = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'svc-newcomer-'))
  const place = new Place(join(folder, 'work'))
  const clean = (): void => {
    place.close()
    if (!values.keep) rmSync(folder, { recursive: true, force: true })
  }
  // This also runs after a signal.
  process.once('exit', clean)
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
  try {
    prepare(root, place.folder, values.installed, write)
    const report = new Report(write)
    await firstStart(place, report)
    await startMistakes(place, report)
    await keysAndTools(place, report)
    await toolsAtRest(place, report)
    await backups(place, report)
    await migration(place, report, resolve(root, values.dump ?? RECORDED))
    return report.finish()
  } finally {
    clean()
    if (values.keep) write(`kept: ${folder}\n`)
  }
}

/** Creates the folder of the newcomer; links an existing installation. */
function prepare(
  root: string,
  folder: string,
  installed: string | undefined,
  write: (text: string) => void,
): void {
  if (installed === undefined) {
    write(`Installing the package in ${folder}…\n`)
    install(root, folder)
    return
  }
  const packages = join(resolve(installed), 'node_modules')
  if (!existsSync(join(packages, 'svc-search'))) {
    throw new Error(`the package is not installed in ${installed}`)
  }
  mkdirSync(folder, { recursive: true })
  symlinkSync(packages, join(folder, 'node_modules'))
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = USAGE
}
