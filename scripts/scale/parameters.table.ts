// The parameters of the simulation: measured on the built server with the command in `from`, or
// given by vendors of machines and stores. Measured on two processors of the machine in the README.

type Parameter = {
  readonly value: number
  readonly unit: string
  readonly what: string
  /** The command of the measurement, or the source. */
  readonly from: string
}

const IMPORT = '25,000 documents in bodies of 5,000, until the last task has ended'
const EXPORT = '`POST /export` of 25,000 documents to a second instance'
const ASSUMED = 'assumed'

export const PARAMETERS = {
  indexedPerS: {
    value: 9600,
    unit: 'documents/s',
    what: 'indexed by one instance, bodies received included',
    from: IMPORT,
  },
  receivedPerS: {
    value: 38_000,
    unit: 'documents/s',
    what: 'of bodies received, checked and synced',
    from: 'time until `202`, five bodies of 5,000',
  },
  exportedPerS: {
    value: 21_500,
    unit: 'documents/s',
    what: 'sent by one instance',
    from: EXPORT,
  },
  importedPerS: {
    value: 8600,
    unit: 'documents/s',
    what: 'taken over by one instance',
    from: EXPORT,
  },
  documentBytes: {
    value: 490,
    unit: 'bytes',
    what: 'of JSON of a document: 64 words, a number, an id',
    from: IMPORT,
  },
  storedBytes: {
    value: 890,
    unit: 'bytes',
    what: 'of segments for a document',
    from: '`GET /stats` after 25,000 documents',
  },
  searchMsP50: {
    value: 6.1,
    unit: 'ms',
    what: 'a search of 25,000 documents, median',
    from: '500 searches, one after the other',
  },
  searchMsP99: {
    value: 32,
    unit: 'ms',
    what: 'the same, 99 of 100',
    from: '500 searches, one after the other',
  },
  callMs: {
    value: 2,
    unit: 'ms',
    what: 'for asking another instance, and merging',
    from: 'the aim of `useNetwork` over three instances',
  },
  storeMs: {
    value: 30,
    unit: 'ms',
    what: 'a request to the object store',
    from: ASSUMED,
  },
  storeBytesPerS: {
    value: 100_000_000,
    unit: 'bytes/s',
    what: 'between an instance and the object store',
    from: ASSUMED,
  },
  storeReadsPerS: {
    value: 5500,
    unit: 'requests/s',
    what: 'GET and LIST that a store takes below one prefix',
    from: 'what large public stores promise',
  },
  putDollars: {
    value: 5,
    unit: '$ a million',
    what: 'PUT and LIST requests',
    from: 'list price of a large public store',
  },
  getDollars: {
    value: 0.4,
    unit: '$ a million',
    what: 'GET requests',
    from: 'list price of a large public store',
  },
} as const satisfies { readonly [name: string]: Parameter }
