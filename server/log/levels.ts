// The levels of the log.

/** From silent to talkative: a level shows itself and those before it. */
export const LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const
export type LogLevel = (typeof LEVELS)[number]
/** What an event can have. */
export type EventLevel = Exclude<LogLevel, 'OFF'>
