// The releases of Node that the programs need. Entry points ask for it before they load the rest,
// which older releases cannot load.
import zlib from 'node:zlib'

/** Ends the process with a message if this release is too old. */
export function requireNodeRelease(): void {
  // A function that older releases lack. An import of its name would fail there.
  if (typeof zlib.crc32 === 'function') return
  process.stderr.write(
    `Svc Search needs Node 20.19, 22.12 or a later release; this is ${process.version}\n`,
  )
  process.exit(1)
}
