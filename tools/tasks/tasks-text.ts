// Tasks as text for people: one line each, or one task in full.
import type { View } from '../../engine/index.ts'
import { countOf, countText, shorten, table } from '../terminal/index.ts'
import type { TaskListResult } from './read-tasks.ts'

const COLUMNS = [
  { title: 'task', align: 'right' },
  { title: 'status' },
  { title: 'type' },
  { title: 'index' },
  { title: 'enqueued' },
  { title: 'took' },
  { title: 'error' },
] as const

const ERROR_COLUMNS_MAX = 40

export function taskListText({ results, total, next }: TaskListResult): string {
  if (results.length === 0) return 'No task matches.\n'
  const rows = results.map((task) => [
    textOf(task['uid']),
    textOf(task['status']),
    textOf(task['type']),
    shorten(textOf(task['indexUid'] ?? '–'), 30),
    textOf(task['enqueuedAt']).replace(/\.\d+Z$/, 'Z'),
    secondsOf(task['duration']),
    errorOf(task),
  ])
  const more = next === null ? '' : `; the next page: --from ${next}`
  const count = `${countText(results.length)} of ${countOf(total, 'task')}${more}`
  return `${table(COLUMNS, rows)}\n${count}\n`
}

export function taskText(task: View): string {
  const rows = Object.entries(task).flatMap(([member, value]) =>
    value === null ? [] : linesOf(member, value),
  )
  return table([{ title: '' }, { title: '' }], rows)
}

function linesOf(member: string, value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[member, printable(String(value))]]
  return Object.entries(value).map(([name, inner], i) => [
    i === 0 ? member : '',
    `${printable(name)}: ${printable(typeof inner === 'string' ? inner : JSON.stringify(inner))}`,
  ])
}

/** Removes control characters, because the text comes from clients. */
const printable = (text: string): string => shorten(text, 10_000)

const textOf = (value: unknown): string => printable(String(value))

function errorOf(task: View): string {
  const error = task['error']
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return shorten(String(error.code), ERROR_COLUMNS_MAX)
}

/** `PT0.012S` → `0.012 s` */
function secondsOf(duration: unknown): string {
  const seconds = /^PT([\d.]+)S$/.exec(String(duration))?.[1]
  return seconds === undefined ? '' : `${Number(Number(seconds).toFixed(3))} s`
}
