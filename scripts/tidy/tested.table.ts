// Lines of tests per line of production code that a folder has at least.

/** The least for a folder without a row below; 0.8 is usual. */
export const TESTED_MIN = 0.5

/** Smaller folders are not measured. */
export const LINES_MIN = 100

/** Folders that have less: a number may only rise, and a row may only go. */
export const TESTED_MIN_OF: Readonly<Record<string, number>> = {
  'engine/model': 0.1,
  'engine/read/jobs': 0.4,
  'engine/script/language': 0.25,
  'engine/script/run': 0.34,
  'engine/settings/values': 0.45,
  'format/fields': 0.4,
  'format/manifest': 0.4,
  'format/schema': 0.45,
  'server/parse': 0.3,
}
