/** Figures of one database: its writer, its lanes and its files. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { counter, type Figure, gauge, Histogram, histogramOf, SECONDS } from '../kernel/figures.ts'

/** Members of a group. */
const MEMBERS = [1, 2, 4, 8, 16, 32, 64, 128] as const

/** Counts of a writer. */
export class WriterFigures {
  readonly waits = new Histogram(SECONDS)
  readonly commits = new Histogram(SECONDS)
  readonly members = new Histogram(MEMBERS)
  /** Changes that waited longer than they may. */
  refused = 0
}

/** Read connections of a database at this moment. */
export interface LaneFigures {
  readonly all: number
  readonly free: number
  readonly waiting: number
}

interface DatabaseState {
  /** `engine` or `state`. */
  readonly database: string
  readonly file: string
  readonly writer: WriterFigures
  readonly queue: number
  readonly lanes: LaneFigures
  readonly reads: number
}

/** Lists the figures of a database. */
export function listDatabaseFigures(state: DatabaseState): Figure[] {
  const { database, file, writer, queue, lanes, reads } = state
  const of = { database }
  const wal = `${file}-wal`
  return [
    histogramOf(
      'appengine_writer_wait_seconds',
      'Time that a change waited for its turn at the writer',
      writer.waits,
      of,
    ),
    gauge('appengine_writer_queue', 'Changes that wait for the writer', queue, of),
    counter(
      'appengine_writer_refused_total',
      'Changes that were refused because they waited longer than Svc:Writer:MaxWait',
      writer.refused,
      of,
    ),
    histogramOf(
      'appengine_writer_group_members',
      'Changes that one commit took to the disk together',
      writer.members,
      of,
    ),
    histogramOf(
      'appengine_writer_commit_seconds',
      'Time of a commit with its sync to the disk',
      writer.commits,
      of,
    ),
    gauge('appengine_lanes', 'Connections for reads beside the event loop', lanes.all, of),
    gauge('appengine_lanes_free', 'Such connections without a read', lanes.free, of),
    gauge('appengine_lanes_waiting', 'Reads that wait for such a connection', lanes.waiting, of),
    counter('appengine_reads_total', 'Statements that were read', reads, of),
    gauge('appengine_database_size_bytes', 'Size of the database file', sizeOf(file), of),
    gauge('appengine_wal_size_bytes', 'Size of the write-ahead log', sizeOf(wal), of),
    counter(
      'appengine_wal_checkpoints_total',
      'Times that the log began again, behind a checkpoint that took all of it into the file',
      readCheckpoints(wal),
      of,
    ),
  ]
}

/** Zero for a file that is not there. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Place of the checkpoint sequence number in the header of the log (SQLite file format, 4.1). */
const SEQUENCE_AT = 12

/** Reads how often the log began again; 0 for one that is empty or not there. */
function readCheckpoints(wal: string): number {
  let handle: number
  try {
    handle = openSync(wal, 'r')
  } catch {
    return 0
  }
  try {
    const number = Buffer.alloc(4)
    return readSync(handle, number, 0, 4, SEQUENCE_AT) === 4 ? number.readUInt32BE() : 0
  } finally {
    closeSync(handle)
  }
}
