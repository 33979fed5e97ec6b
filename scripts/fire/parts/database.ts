// The folders of a run, and the check of its databases.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RELEASE } from '../../../server/config/index.ts'
import { checkDatabase, findingsOf } from '../../../tools/check/index.ts'

const SILENT = { at: () => undefined, end: () => undefined }
export const CHECK = { release: RELEASE.version, openProgress: () => SILENT, lock: true }

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'svc-fire-'))

/** Works in a new folder, which is kept for inspection if an expectation fails; `about` names it. */
export async function inFolder<Result>(
  about: () => string,
  work: (root: string) => Promise<Result>,
): Promise<Result> {
  const root = newFolder()
  try {
    const result = await work(root)
    rmSync(root, { recursive: true })
    return result
  } catch (error) {
    throw new Error(`${about()}, folder ${root}: ${String(error)}`, { cause: error })
  }
}

/** `svc-tools check`, in this process. `isTidy`: no unnamed files are left either. */
export function expectSound(db: string, when: string, isTidy = false): void {
  const result = checkDatabase(db, CHECK)
  const findings = findingsOf(result).map((finding) => JSON.stringify(finding))
  assert.equal(result.problemCount, 0, `svc-tools check of ${db}, ${when}:\n${findings.join('\n')}`)
  if (isTidy) assert.deepEqual(result.leftovers, [], `what is left in ${db}, ${when}`)
}
