// Reads of the engine: each leases the views it is about and goes to the search threads.
export { QueryService } from './query-service.ts'
