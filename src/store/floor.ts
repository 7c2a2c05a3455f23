/** The floor of the store as a part of the product: its settings. */
import type { Part } from '../kernel/part.ts'
import { bytes, duration, HOUR, integer, MB, SECOND } from '../kernel/setting.ts'
import type { Settings } from '../kernel/settings.ts'
import { GERMAN } from './german.ts'

export const SQL = {
  timeout: duration('Svc:Sql:Timeout', 'How long a read may take', 30 * SECOND, [10, HOUR]),
  writeTimeout: duration(
    'Svc:Sql:WriteTimeout',
    'How long an authored write may take',
    3 * SECOND,
    [10, HOUR],
  ),
  slow: duration(
    'Svc:Log:SlowSql',
    'Time from which a statement is logged with its plan and who asked; 0s logs none',
    0,
    [0, HOUR],
  ),
  lanes: integer('Svc:Sql:Lanes', 'Connections for reads that may be slow', 3, [1, 64]),
  maxMemory: bytes(
    'Svc:Sql:MaxMemory',
    'How much the process may grow while one authored statement runs, before it is ended',
    512 * MB,
    [16 * MB, 64 * 1024 * MB],
  ),
  writerMaxWait: duration(
    'Svc:Writer:MaxWait',
    'How long a mutation may wait for its turn',
    10 * SECOND,
    [10, HOUR],
  ),
}

/** The limits that an operator sets. */
export const readStoreLimits = (settings: Settings) => ({
  readTimeoutMs: settings.get(SQL.timeout),
  writeTimeoutMs: settings.get(SQL.writeTimeout),
  writerMaxWaitMs: settings.get(SQL.writerMaxWait),
})

/** See `Part`. */
export const storeFloor: Part = { translations: { de: GERMAN }, settings: [SQL] }
