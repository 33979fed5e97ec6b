// What a setting is to the rest of the program. A setting is a module of this folder that exports
// one value of this type, a line in `registry.ts`, and a line in the table of schemas in
// `server/parse`. Everything else works on every registered setting: storing, merging, showing,
// dumps, exports, routes, the description of the API and the catalogue of errors.
//
//   request ─► schema ─► patch ─► check ─► task ─► merge ─► value ─► stored text
//                                   render, transfer ◄── value ──► what layers keep of a field
import type { Layer } from '../../format/manifest/index.ts'
import type { Schema } from '../../format/schema/index.ts'
import type { Feature } from '../model/index.ts'
import type { TextTools } from './text-tools.ts'

/** A choice of fields by their names with dots. */
export type FieldChoice = {
  readonly holds: (field: string) => boolean
  /** Whether a field is chosen that is nested in this one, or might be. */
  readonly holdsBelow: (field: string) => boolean
}

/** A feature that a change needs, and what needs it, as the subject of a sentence. */
export type FeatureNeed = readonly [feature: Feature, action: string]

/**
 * `Value`: complete and normalised, as it is in force. `Patch`: what a change may say, apart from
 * null, which puts the setting back to its default.
 */
export interface Setting<Value, Patch = NonNullable<Value>, Code extends string = string> {
  /** The code of the public catalogue for a value that is refused. */
  readonly code: Code
  /** What is to be sent instead; it ends the sentence "The setting `name`: ". */
  readonly advice: string
  /** `members`: a change touches only the members it names; `whole`: it replaces the value. */
  readonly change: 'whole' | 'members'
  /** Must be on to set it, and to see it among the others; none when absent. */
  readonly feature?: Feature
  readonly default: Value
  /** What data of the stored text must be. Values are stored as the JSON that they are. */
  readonly stored: Schema<Value>

  /** The value after a change. @throws EngineFault when the change does not fit `current` */
  merge(current: Value, patch: Patch, text: TextTools): Value
  /** Checks a change before it meets the value in force. @throws EngineFault */
  check?(patch: Patch): void
  /** What a change needs besides `feature`, in the order in which features are checked. */
  needs?(patch: Patch): readonly FeatureNeed[]

  /** The value as clients read it, secrets masked; when absent, as it is. */
  render?(value: Value): unknown
  /** The value as dumps and other servers get it, secrets in clear; when absent, as rendered. */
  transfer?(value: Value): unknown
  /** A change as its task shows it, secrets masked; when absent, as it was sent. */
  renderPatch?(patch: Patch | null): unknown
  /** What a batch shows of two changes, both rendered; when absent, the later one. */
  joinDetails?(before: unknown, after: unknown): unknown
  /** Whether an export leaves the default out. Settings of a feature are always left out then. */
  readonly isExportedOnlyWhenSet?: boolean

  /** What older versions called it in dumps. */
  readonly olderNames?: readonly string[]
  /** A value that an older version wrote to a dump, in the form of today; undefined: none. */
  fromOlderDump?(given: unknown): unknown
  /** A value in a dump as a patch, members that were left out filled in. It may be any JSON. */
  fromDump?(given: unknown): unknown
  /** What is wrong with a patch of a dump that no request could hold; null: nothing. */
  dumpProblem?(patch: Patch): string | null

  /** Names and patterns by which the value chooses fields. */
  fieldNames?(value: Value): readonly string[]
  /** The layer that keeps values of the fields that this setting chooses. */
  readonly keeps?: { readonly layer: Layer; fields(value: Value): FieldChoice }
  /**
   * The layer that handles the values it keeps as this setting says. `how`: what it does with one
   * field, in any form that can be compared; when absent, a change concerns every field.
   */
  readonly handles?: {
    readonly layer: Layer
    how?(value: Value, field: string): unknown
  }
}

/** A setting with its types, which its code has to keep as a literal. */
export const setting =
  <Value, Patch = NonNullable<Value>>() =>
  <const Code extends string>(row: Setting<Value, Patch, Code>): Setting<Value, Patch, Code> =>
    row
