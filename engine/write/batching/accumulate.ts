// The details of a batch: the details of its tasks, combined. Members that are null in all tasks
// are omitted, but settings stay as they were sent; members follow the order of `ORDER`, settings
// their declared order.
import { joinDetails, SETTING_NAMES, type SettingName } from '../../settings/index.ts'
import type { AddRule, TaskDetails } from '../task-data/index.ts'

const BEFORE_SETTINGS: readonly (readonly [member: string, rule: AddRule])[] = [
  ['receivedDocuments', 'sum'],
  ['indexedDocuments', 'sum'],
  ['editedDocuments', 'sum'],
  ['primaryKey', 'first'],
  ['oldIndexUid', 'first'],
  ['newIndexUid', 'first'],
  ['providedIds', 'sum'],
  ['deletedDocuments', 'sum'],
  ['matchedTasks', 'sum'],
  ['canceledTasks', 'sum'],
  ['deletedTasks', 'sum'],
  ['originalFilter', 'join'],
  ['dumpUid', 'first'],
  ['context', 'first'],
  ['function', 'first'],
]
const AFTER_SETTINGS: readonly (readonly [member: string, rule: AddRule])[] = [
  ['swaps', 'concat'],
  ['url', 'first'],
  ['apiKey', 'first'],
  ['payloadSize', 'first'],
  ['indexes', 'first'],
  ['upgradeFrom', 'least'],
  ['upgradeTo', 'greatest'],
  ['preCompactionSize', 'first'],
  ['postCompactionSize', 'first'],
  ['movedDocuments', 'sum'],
  ['message', 'first'],
  ['rule', 'only'],
  ['updatedRules', 'sum'],
]
const RULES: ReadonlyMap<string, AddRule> = new Map([...BEFORE_SETTINGS, ...AFTER_SETTINGS])
const ORDER: readonly string[] = [
  ...BEFORE_SETTINGS.map(([member]) => member),
  ...SETTING_NAMES,
  ...AFTER_SETTINGS.map(([member]) => member),
]
const NO_OTHERS: ReadonlyMap<string, AddRule> = new Map()
const SETTINGS: ReadonlySet<string> = new Set(SETTING_NAMES)
const isSetting = (member: string): member is SettingName => SETTINGS.has(member)

/** Combines details of tasks, added in the order of their uids. */
export class DetailsSum {
  readonly #others: ReadonlyMap<string, AddRule>
  readonly #members = new Map<string, unknown>()
  readonly #filters: string[] = []
  #rules = 0

  /** `others`: members that only single kinds have; they follow all other members. */
  constructor(others: ReadonlyMap<string, AddRule> = NO_OTHERS) {
    this.#others = others
  }

  add(details: TaskDetails | null): void {
    if (details === null) return
    for (const member of Object.keys(details)) {
      if (isSetting(member)) this.#addSetting(member, details[member])
      else this.#addMember(member, details[member])
    }
  }

  finish(): TaskDetails {
    if (this.#filters.length > 0) this.#members.set('originalFilter', this.#filters.join('&'))
    if (this.#rules > 1) this.#members.delete('rule')
    const out: [string, unknown][] = []
    for (const member of [...ORDER, ...this.#others.keys()]) {
      if (this.#members.has(member)) out.push([member, this.#members.get(member)])
    }
    return Object.fromEntries(out)
  }

  #addMember(member: string, value: unknown): void {
    if (value === null || value === undefined) return
    const before = this.#members.get(member)
    switch (RULES.get(member) ?? this.#others.get(member)) {
      case 'sum':
        this.#members.set(member, ((before as number | undefined) ?? 0) + (value as number))
        break
      case 'join':
        this.#filters.push(value as string)
        break
      case 'concat':
        if (before === undefined) this.#members.set(member, [...(value as unknown[])])
        else (before as unknown[]).push(...(value as unknown[]))
        break
      case 'least':
        if (before === undefined || isLess(value, before)) this.#members.set(member, value)
        break
      case 'greatest':
        if (before === undefined || isLess(before, value)) this.#members.set(member, value)
        break
      default:
        if (member === 'rule') this.#rules++
        if (before === undefined) this.#members.set(member, value)
    }
  }

  #addSetting(member: SettingName, value: unknown): void {
    const before = this.#members.get(member)
    this.#members.set(member, joinDetails(member, before, value))
  }
}

/** Compares two versions such as `v1.12.0` number by number. */
function isLess(left: unknown, right: unknown): boolean {
  const a = numbersOf(left)
  const b = numbersOf(right)
  for (let i = 0; i < 3; i++) if (a[i] !== b[i]) return (a[i] ?? 0) < (b[i] ?? 0)
  return false
}

const numbersOf = (version: unknown): readonly number[] =>
  String(version).replace(/^v/, '').split('.').map(Number)
