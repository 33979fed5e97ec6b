// Where a repair keeps what it takes away: a folder beside the database, made when it is needed.
// Nothing in it is ever removed by us.
import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { writePrivateFile } from '../terminal/index.ts'

export class Quarantine {
  readonly #database: string
  #folder: string | null = null

  constructor(database: string) {
    this.#database = resolve(database)
  }

  /** null: nothing was taken away. */
  get folder(): string | null {
    return this.#folder
  }

  /** Moves a file of the database here. */
  move(file: string): void {
    renameSync(join(this.#database, file), join(this.#open(), basename(file)))
  }

  /** Keeps a copy of a file of the database, if it is there. */
  copy(file: string): void {
    const path = join(this.#database, file)
    if (existsSync(path)) copyFileSync(path, join(this.#open(), basename(file)))
  }

  /** Keeps bytes that lie in no file of their own. */
  keep(name: string, bytes: Uint8Array): void {
    writePrivateFile(join(this.#open(), name), bytes)
  }

  /** Writes down what was done. */
  note(report: object): void {
    if (this.#folder === null) return
    writeFileSync(join(this.#folder, 'repair.json'), `${JSON.stringify(report, null, 2)}\n`)
  }

  /** The first name of its kind that is free. */
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
