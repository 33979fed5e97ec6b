// Checks of stored values: whether data that was read from JSON is a value of a type. They distrust
// the text, which may have been damaged.

export type StoredCheck<T> = (value: unknown) => value is T

/** An object, of which every member must be such a value. */
type MemberChecks<T> = { readonly [K in keyof T]-?: StoredCheck<Exclude<T[K], undefined>> }

export const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isText: StoredCheck<string> = (value) => typeof value === 'string'
export const isFlag: StoredCheck<boolean> = (value) => typeof value === 'boolean'
export const isNumber: StoredCheck<number> = (value) => typeof value === 'number'
export const isCount: StoredCheck<number> = (value): value is number =>
  Number.isInteger(value) && (value as number) >= 0
/** Any JSON. */
export const isAny: StoredCheck<unknown> = (_value): _value is unknown => true

export const isOneOf =
  <W extends string>(words: readonly W[]): StoredCheck<W> =>
  (value): value is W =>
    typeof value === 'string' && (words as readonly string[]).includes(value)

export const isListOf =
  <T>(check: StoredCheck<T>): StoredCheck<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(check)

export const isTexts: StoredCheck<readonly string[]> = isListOf(isText)

export const isMapOf =
  <T>(check: StoredCheck<T>): StoredCheck<{ readonly [name: string]: T }> =>
  (value): value is { readonly [name: string]: T } =>
    isObject(value) && Object.values(value).every(check)

export const isNullOr =
  <T>(check: StoredCheck<T>): StoredCheck<T | null> =>
  (value): value is T | null =>
    value === null || check(value)

export const isEither =
  <A, B>(a: StoredCheck<A>, b: StoredCheck<B>): StoredCheck<A | B> =>
  (value): value is A | B =>
    a(value) || b(value)

/** All of these members and no others. */
export function isObjectOf<T extends object>(members: MemberChecks<T>): StoredCheck<T> {
  const isPart = isPartOf<T>(members)
  const names = Object.keys(members)
  return (value): value is T => isPart(value) && names.every((name) => Object.hasOwn(value, name))
}

/** Some of these members and no others. */
export const isPartOf =
  <T extends object>(members: MemberChecks<T>): StoredCheck<T> =>
  (value): value is T =>
    isObject(value) &&
    Object.entries(value).every(
      ([name, inner]) => Object.hasOwn(members, name) && members[name as keyof T](inner),
    )
