// Reads of the engine: each read leases the views of its indexes and runs on a search thread.
export { AnswerRoom, type AnswerShare } from './answer-room.ts'
export { QueryService } from './query-service.ts'
