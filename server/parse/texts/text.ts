// The form of the texts about members of requests. Everything that a schema says already (type,
// bounds, default, error code) is derived from it and does not stand here.

/** The meaning of a member, as sentences; the long form where it has members of its own. */
export type Text = string | LongText
export type LongText = {
  readonly about: string
  /** The release that brought it; absent for the first one. */
  readonly since?: '1.57'
  /** By name; members of the elements of lists and maps, too. */
  readonly members?: Texts
}
export type Texts = { readonly [name: string]: Text }

/** The text of a member that the reference shows with examples. */
export type MemberText = LongText & {
  /** Values that its parser accepts; together they have all of its inner members. */
  readonly examples: readonly [unknown, ...unknown[]]
}
export type MemberTexts<Name extends string = string> = { readonly [K in Name]: MemberText }

export const longText = (text: Text): LongText =>
  typeof text === 'string' ? { about: text } : text
