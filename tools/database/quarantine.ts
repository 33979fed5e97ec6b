// A folder beside the database that keeps the files removed by a repair; it is created when needed.
// The tools never delete anything in it.
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { writePrivateFile } from '../terminal/index.ts'

export class Quarantine {
  readonly #database: string
  #folder: string | null = null

  constructor(database: string) {
    this.#database = resolve(database)
  }

  /** null if nothing was moved. */
  get folder(): string | null {
    return this.#folder
  }

  /** Moves a file of the database here. */
  move(file: string): void {
    renameSync(join(this.#database, file), join(this.#open(), basename(file)))
  }

  /** Keeps a copy of a file of the database, if it exists. */
  copy(file: string): void {
    const path = join(this.#database, file)
    if (existsSync(path)) copyFileSync(path, join(this.#open(), basename(file)))
  }

  /** Keeps bytes that are not a separate file. */
  keep(name: string, bytes: Uint8Array): void {
    writePrivateFile(join(this.#open(), name), bytes)
  }

  /** Writes the report of the repair. */
  note(report: object): void {
    if (this.#folder === null) return
    writeFileSync(join(this.#folder, 'repair.json'), `${JSON.stringify(report, null, 2)}\n`)
  }

  /** Creates the folder under the first free name. */
  #open(): string {
    for (let n = 1; this.#folder === null; n++) {
      const name = `${basename(this.#database)}.repaired-${n}`
      const folder = join(dirname(this.#database), name)
      if (existsSync(folder)) continue
      mkdirSync(folder, { mode: 0o700 })
      this.#folder = folder
    }
    return this.#folder
  }
}
