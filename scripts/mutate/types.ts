// Whether a fault passes the type check: one that does not is found before any test runs, so it is
// no fault that tests have to notice. The files are checked in a copy.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Mutation } from './mutations.ts'

const FOLDERS = ['engine', 'fixtures', 'format', 'fuzz', 'scripts', 'server', 'tools']
const CHECK = 'typescript/bin/tsc'

export class TypeCheck {
  readonly #copy = mkdtempSync(join(tmpdir(), 'svc-types-'))
  readonly #packages: string

  constructor(root: string) {
    this.#packages = join(root, 'node_modules')
    const isSource = (path: string): boolean => !/\.(?:test|drill)\.ts$/.test(path)
    for (const folder of FOLDERS) {
      cpSync(join(root, folder), join(this.#copy, folder), {
        recursive: true,
        filter: isSource,
      })
    }
    for (const name of readdirSync(root)) {
      if (/\.(?:ts|json)$/.test(name)) cpSync(join(root, name), join(this.#copy, name))
    }
    symlinkSync(this.#packages, join(this.#copy, 'node_modules'))
  }

  /** Checks the whole project: slow. */
  passes(file: string, { start, end, text }: Mutation): boolean {
    const path = join(this.#copy, file)
    const source = readFileSync(path, 'utf8')
    writeFileSync(path, source.slice(0, start) + text + source.slice(end))
    const project = file.startsWith('server/page/') ? 'server/page' : '.'
    try {
      const command = [join(this.#packages, CHECK), '--noEmit', '-p', project]
      return spawnSync(process.execPath, command, { cwd: this.#copy }).status === 0
    } finally {
      writeFileSync(path, source)
    }
  }

  close(): void {
    rmSync(this.#copy, { recursive: true, force: true })
  }
}
