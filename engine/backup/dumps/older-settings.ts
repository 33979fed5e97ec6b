// Settings of older dumps, in the form of the newest one.
import { newerSettings as newer } from '../../settings/index.ts'
import { type Members, membersOf } from './dump-error.ts'

/** @throws DumpError when it is not an object */
export const newerSettings = (value: unknown, place: string): Members =>
  newer(membersOf(value ?? {}, place))
