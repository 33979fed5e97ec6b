// The details of tasks, as clients see them and as dumps hold them: a tag, and members in snake
// case. The module of each kind defines its details. Layout: ./DUMPS.md
import type { TaskDetails, TaskKinds } from '../../write/task-data/index.ts'
import { type Members, membersOf } from './dump-error.ts'
import type { DumpedKind } from './dump-form.ts'

const CAPITALS = /[A-Z]/g

/** Returns the named members in snake case; null for missing ones. */
export const snakeMembers = (details: Members, ...names: readonly string[]): Members =>
  Object.fromEntries(
    names.map((name) => [
      name.replace(CAPITALS, (letter) => `_${letter.toLowerCase()}`),
      details[name] ?? null,
    ]),
  )

/** Returns the named members, passed in snake case, in camel case; null for missing ones. */
export const camelMembers = (members: Members, ...names: readonly string[]): TaskDetails =>
  Object.fromEntries(
    names.map((name) => [
      name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
      members[name] ?? null,
    ]),
  )

/** `v1.12.0` → [1, 12, 0] */
export const versionParts = (text: unknown): readonly number[] =>
  (/^v?(\d+)\.(\d+)\.(\d+)/.exec(String(text)) ?? ['', '0', '0', '0']).slice(1, 4).map(Number)

export const versionText = (parts: unknown): string =>
  Array.isArray(parts) ? `v${parts.map(Number).join('.')}` : 'v0.0.0'

/**
 * Returns the details for clients from those of a dump, or null without details. Some tags are
 * shared by several kinds: the reading of the task's own kind has precedence.
 */
export function shownDetails(
  kinds: TaskKinds<DumpedKind>,
  kind: DumpedKind,
  value: unknown,
  place: string,
): TaskDetails | null {
  if (value === undefined || value === null) return null
  const [tag = '', inner] = Object.entries(membersOf(value, place))[0] ?? []
  const members = membersOf(inner ?? {}, place)
  for (const { dump } of [kind, ...kinds.all]) {
    if (Object.hasOwn(dump.detailsTags, tag)) return dump.detailsTags[tag]!(members, place)
  }
  return null
}
