// The interface of a setting. A setting is a module of this folder that exports one value of this
// type, a line in `registry.ts`, and a line in the table of schemas in `server/parse`. All other
// code works on every registered setting: storing, merging, showing, dumps, exports, routes, the
// description of the API and the catalogue of errors.
//
//   request ─► schema ─► patch ─► check ─► task ─► merge ─► value ─► stored text
//                                   render, transfer ◄── value ──► the fields that layers store
import type { Layer } from '../../../format/manifest/index.ts'
import type { Schema } from '../../../format/schema/index.ts'
import type { Feature } from '../../model/index.ts'
import type { TextTools } from './text-tools.ts'

/** A selection of fields by their names with dots. */
export type FieldChoice = {
  readonly holds: (field: string) => boolean
  /** Whether a field nested in this one is selected, or might be. */
  readonly holdsBelow: (field: string) => boolean
}

/** A feature that a change needs, and the action that needs it as the subject of a sentence. */
export type FeatureNeed = readonly [feature: Feature, action: string]

/**
 * `Value`: complete and normalised. `Patch`: a change without null, which resets the setting to its
 * default.
 */
export interface Setting<Value, Patch = NonNullable<Value>, Code extends string = string> {
  /** The catalogue code for a refused value. */
  readonly code: Code
  /** The expected value; completes the sentence "The setting `name`: ". */
  readonly advice: string
  /** `members`: a change affects only the members it names; `whole`: it replaces the value. */
  readonly change: 'whole' | 'members'
  /**
   * The feature that must be on to set it, and to see it among the others; absent if none is
   * needed.
   */
  readonly feature?: Feature
  readonly default: Value
  /** Schema of the stored value. Values are stored as their JSON. */
  readonly stored: Schema<Value>

  /** Returns the value after a change. @throws EngineFault if the change does not fit `current` */
  merge(current: Value, patch: Patch, text: TextTools): Value
  /** Checks a change without the present value. @throws EngineFault */
  check?(patch: Patch): void
  /** Returns the features that a change needs besides `feature`, in the order of checks. */
  needs?(patch: Patch): readonly FeatureNeed[]

  /** Returns the value for clients, secrets masked; absent: unchanged. */
  render?(value: Value): unknown
  /** Returns the value for dumps and other servers, secrets in clear; absent: as rendered. */
  transfer?(value: Value): unknown
  /** Returns a change for the task's details, secrets masked; absent: as sent. */
  renderPatch?(patch: Patch | null): unknown
  /** Returns the batch details of two rendered changes; absent: the later one. */
  joinDetails?(before: unknown, after: unknown): unknown
  /**
   * Whether an export omits the default. Defaults of settings with a feature are always omitted.
   */
  readonly isExportedOnlyWhenSet?: boolean
  /**
   * Whether the default is left out of all settings together, of dumps and of exports: clients and
   * servers of the reference do not know the setting.
   */
  readonly isLeftOutUnlessSet?: boolean

  /** Names of the setting in dumps of older versions. */
  readonly olderNames?: readonly string[]
  /** Converts a value from a dump of an older version; undefined drops it. */
  fromOlderDump?(given: unknown): unknown
  /**
   * Converts a value from a dump into a patch with absent members filled in. The input may be any
   * JSON.
   */
  fromDump?(given: unknown): unknown
  /** Returns the problem of a dumped patch that no request could contain, or null. */
  dumpProblem?(patch: Patch): string | null

  /** Returns the names and patterns with which the value selects fields. */
  fieldNames?(value: Value): readonly string[]
  /** The layer that stores the values of fields which this setting selects. */
  readonly keeps?: { readonly layer: Layer; fields(value: Value): FieldChoice }
  /**
   * The layer whose processing of stored values depends on this setting. `how`: its processing of
   * one field, in any comparable form; absent: a change affects every field.
   */
  readonly handles?: {
    readonly layer: Layer
    how?(value: Value, field: string): unknown
  }
}

/** Returns its argument; keeps the types, with the code as a literal. */
export const setting =
  <Value, Patch = NonNullable<Value>>() =>
  <const Code extends string>(row: Setting<Value, Patch, Code>): Setting<Value, Patch, Code> =>
    row
