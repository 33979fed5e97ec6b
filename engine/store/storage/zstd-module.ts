// The bytes of the zstd codec as WebAssembly. The build replaces this module: `dist` has the bytes
// in a separate file, which is read when they are first needed.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export function zstdModule(): Uint8Array {
  const main = createRequire(import.meta.url).resolve('@bokuweb/zstd-wasm')
  return fs.readFileSync(join(dirname(main), 'zstd.wasm'))
}
