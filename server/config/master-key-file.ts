// Reads the master key from a file, as container platforms and `LoadCredential=` of systemd provide
// it.
import { readFileSync } from 'node:fs'
import { usageError } from './usage.ts'

/** Returns the first line of the file. @throws LaunchError */
export function readMasterKey(path: string): string {
  const name = `the file ${JSON.stringify(path)} of '--master-key-file'`
  const [key = ''] = contentOf(path, name).split(/\r?\n/, 1)
  if (key === '') throw usageError(`${name} is empty: expected the master key in its first line`)
  return key
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // System errors: the file is missing, not readable, or a folder.
    throw usageError(`${name} cannot be read: ${(error as Error).message}`)
  }
}
