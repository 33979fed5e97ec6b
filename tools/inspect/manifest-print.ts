// `svc-tools manifest print`: prints the edits of the active manifest in order, up to the first
// damage.

import { CURRENT, readDatabase } from '../../engine/inspect.ts'
import { bytesText, countOf, countText } from '../terminal/index.ts'
import { type Finding, findingOf, findingText } from './finding.ts'
import { openDatabaseFolder } from './open-database.ts'
import { plain } from './plain.ts'
import { changeText } from './task-summary.ts'

type PrintedEdit = {
  readonly sequence: number
  readonly checkpoint: boolean
  /** Position of the record in the file. */
  readonly offset: number
  readonly bytes: number
  readonly changes: readonly { readonly text: string; readonly change: unknown }[]
}

export type PrintedManifest = {
  /** null if CURRENT does not name an existing file. */
  readonly path: string | null
  readonly bytes: number
  readonly tail: 'clean' | 'torn' | null
  readonly edits: readonly PrintedEdit[]
  readonly problems: readonly Finding[]
}

/** @throws ToolError if there is no database */
export function manifestPrint(db: string): PrintedManifest {
  const fs = openDatabaseFolder(db)
  const edits: PrintedEdit[] = []
  try {
    const read = readDatabase(fs, (edit, { offset, bytes }) => {
      const { sequence, checkpoint } = edit
      const changes = edit.changes.map((change) => ({
        text: changeText(change),
        change: plain(change),
      }))
      edits.push({ sequence, checkpoint, offset, bytes, changes })
    })
    const { path, bytes, contents } = read
    return { path, bytes, tail: contents.tail, edits, problems: [] }
  } catch (error) {
    const problems = [findingOf(CURRENT, error)]
    return { path: null, bytes: 0, tail: null, edits, problems }
  }
}

export function manifestPrintText(manifest: PrintedManifest): string {
  const { path, bytes, tail, edits, problems } = manifest
  const lines =
    path === null ? [] : [`${path}: ${bytesText(bytes)}, ${countOf(edits.length, 'edit')}`]
  for (const edit of edits) {
    const kind = edit.checkpoint ? 'checkpoint' : 'edit'
    const size = `${countText(edit.bytes)} bytes at ${countText(edit.offset)}`
    lines.push('', `${kind} ${edit.sequence} · ${size}`)
    for (const { text } of edit.changes) lines.push(`  ${text}`)
  }
  if (tail === 'torn')
    lines.push(
      '',
      'The end is an unfinished write, for example from a power failure; the next start removes it.',
    )
  for (const finding of problems) lines.push('', findingText(finding))
  return `${lines.join('\n')}\n`
}
