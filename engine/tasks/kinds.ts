// Kinds and statuses as numbers, and what is particular about a kind. Numbers are what records
// hold.
import { TASK_KINDS, TASK_STATUSES, type TaskKind, type TaskStatus } from './types.ts'

export const KIND: { readonly [kind in TaskKind]: number } = numbered(TASK_KINDS)
export const STATUS: { readonly [status in TaskStatus]: number } = numbered(TASK_STATUSES)

export const kindOf = (number: number): TaskKind => TASK_KINDS[number]!
export const statusOf = (number: number): TaskStatus => TASK_STATUSES[number]!

/** Tasks that are not tied to one index; seen by unrestricted callers only. */
const GLOBAL_KINDS: readonly TaskKind[] = [
  'indexSwap',
  'taskCancelation',
  'taskDeletion',
  'dumpCreation',
  'snapshotCreation',
  'export',
  'upgradeDatabase',
  'networkTopologyChange',
]
export const GLOBAL_KINDS_MASK: number = GLOBAL_KINDS.reduce((mask, k) => mask | (1 << KIND[k]), 0)

export const isGlobalKind = (kind: number): boolean => ((GLOBAL_KINDS_MASK >>> kind) & 1) === 1

/**
 * Kinds that have a queue of their own, before all indexes; the others wait in the queue of their
 * index.
 */
const OWN_QUEUE_KINDS: readonly TaskKind[] = [
  'taskCancelation',
  'upgradeDatabase',
  'networkTopologyChange',
  'taskDeletion',
  'indexCompaction',
  'export',
  'snapshotCreation',
  'dumpCreation',
]
export const OWN_QUEUE_MASK: number = OWN_QUEUE_KINDS.reduce((mask, k) => mask | (1 << KIND[k]), 0)

function numbered<T extends string>(names: readonly T[]): { readonly [name in T]: number } {
  return Object.fromEntries(names.map((name, i) => [name, i])) as { [name in T]: number }
}
