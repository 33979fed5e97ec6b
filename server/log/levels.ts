// The levels of the log.

/** In order of verbosity: a level shows its events and those of the levels before it. */
export const LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const
export type LogLevel = (typeof LEVELS)[number]
/** The levels of events. */
export type EventLevel = Exclude<LogLevel, 'OFF'>
