// Compiles the arithmetic of vector search to WebAssembly and writes it as a table of text, so that
// programs need not find a file. Run `node scripts/build/kernel.mjs` after a change of `kernel.as`.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SOURCE = join(root, 'scripts/build/kernel.as')
export const KERNEL_TABLE = join(root, 'format/vectors/kernel-module.table.ts')

/** The text of the table. */
export async function kernelTable() {
  const { default: compiler } = await import('assemblyscript/asc')
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'))
  try {
    const source = join(folder, 'kernel.ts')
    const out = join(folder, 'kernel.wasm')
    copyFileSync(SOURCE, source)
    const options = ['--runtime', 'stub', '--noAssert', '--optimizeLevel', '3', '--enable', 'simd']
    const shared = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '32768']
    const memory = ['--importMemory', '--memoryBase', '0', '--use', 'abort=']
    const { error, stderr } = await compiler.main(
      [source, '-o', out, ...options, ...memory, ...shared],
      {},
    )
    if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`)
    const text = readFileSync(out).toString('base64')
    const lines = text.match(/.{1,96}/g).map((line) => `'${line}',`)
    return (
      '// The arithmetic of vector search as WebAssembly, in base64: made by\n' +
      '// `scripts/build/kernel.mjs` from `scripts/build/kernel.as`; not edited by hand.\n' +
      `export const KERNEL_MODULE = [\n${lines.map((line) => `  ${line}\n`).join('')}].join('')\n`
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(KERNEL_TABLE, await kernelTable())
}
