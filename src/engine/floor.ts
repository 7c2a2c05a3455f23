/** Settings of the engine. */
import type { Part } from '../kernel/part.ts'
import {
  boolean,
  bytes,
  choice,
  DAY,
  duration,
  HOUR,
  integer,
  list,
  MB,
  MINUTE,
  SECOND,
  zone,
} from '../kernel/setting.ts'
import { ACCESS_GERMAN } from './access/german.ts'
import { ASSISTANT_GERMAN } from './assistant/german.ts'
import { COMMENTS_GERMAN } from './comments/german.ts'
import { EXTENSION_GERMAN } from './extensions/german.ts'
import { GERMAN } from './german.ts'
import { JOB_GERMAN } from './jobs/german.ts'
import { QUEUE_FORM } from './jobs/job-queues.ts'
import { MAIL } from './mail/mail-options.ts'
import { OBJECT_GERMAN } from './object/german.ts'
import { MANY_GERMAN } from './object/many/german.ts'
import { OUTBOUND_GERMAN } from './outbound/german.ts'
import { OUTBOUND } from './outbound/outbound-policy.ts'
import { PRINTED_GERMAN } from './printed-reports/german.ts'
import { SAVED_VIEWS_GERMAN } from './saved-views/german.ts'
import { ENGINE_TIMES } from './stored-times.ts'
import { TIMELINE_GERMAN } from './timeline/german.ts'
import { PUSH } from './web-push/push-options.ts'
import { WIZARD_GERMAN } from './wizard/german.ts'
import { WORKFLOW_GERMAN } from './workflow/german.ts'

export const CACHE_MAX_BYTES = bytes(
  'Svc:Cache:MaxBytes',
  'Memory for answers that are kept until a table under them changes; 0 keeps none',
  32 * MB,
  [0, 64 * 1024 * MB],
)

export const SEARCH_MAX_BYTES = bytes(
  'Svc:Search:MaxBytes',
  'Memory for the texts that grids are searched in; 0 has every search read the tables',
  64 * MB,
  [0, 64 * 1024 * MB],
)

export const RESULTS_MAX_BYTES = bytes(
  'Svc:Results:MaxBytes',
  'Bytes of all rows that a grid, a form or a query answers with; more is a 400',
  16 * MB,
  [1024, 256 * MB],
)

export const DESIGNER_SQL = choice(
  'Svc:Designer:Sql',
  'What datasets that are written in the designer read: All tables of the company, or them as ' +
    'the Views that each reader may List, rows and fields alike',
  ['All', 'Views'],
  'All',
)

export const REPORTS_MAX_ROWS = integer(
  'Svc:Reports:MaxRows',
  'Rows of one dataset of a report page; of more the first are shown, and the answer says so',
  10_000,
  [1, 1_000_000],
)

export const REPORTS_USER_QUOTA = bytes(
  'Svc:Reports:UserQuota',
  'What the drafts and versions of reports that one user saved may take together',
  256 * MB,
  [1, 1024 * 1024 * MB],
)

export const REPORTS_TIMEOUT = duration(
  'Svc:Reports:Timeout',
  'How long all datasets of a report page may take; one that is not there by then has no rows',
  MINUTE,
  [10, HOUR],
)

export const NAVBAR_BADGE_TIMEOUT = duration(
  'Svc:Navbar:BadgeTimeout',
  'How long a badge may take; one that is not there by then is left out, for a minute',
  2 * SECOND,
  [10, MINUTE],
)

export const REQUIRE_ROW_VERSION = boolean(
  'Svc:Objects:RequireRowVersion',
  'Whether a write to an entity with Concurrency="Enabled" must bring its RowVersion',
  true,
)

export const EXPORTS = {
  retention: duration(
    'Svc:Exports:Retention',
    'How long a file that was exported can be fetched',
    DAY,
    [SECOND, 365 * DAY],
  ),
  timeout: duration(
    'Svc:Exports:Timeout',
    'How long an export may read its rows before it writes them',
    10 * MINUTE,
    [10, DAY],
  ),
  userQuota: bytes(
    'Svc:Exports:UserQuota',
    'What the files of one user that were exported may take together until they expire',
    4096 * MB,
    [1, 1024 * 1024 * MB],
  ),
  userFiles: integer(
    'Svc:Exports:UserFiles',
    'Files that one user may have lying until they expire: exports, templates, rows with errors',
    1000,
    [1, 1_000_000],
  ),
  concurrency: integer(
    'Svc:Exports:Concurrency',
    'Exports that are made at the same time',
    2,
    [1, 16],
  ),
}

export const SCRIPTS = {
  timeout: duration(
    'Svc:Scripts:Timeout',
    'How long a script or a handler of an extension may run before its process is ended',
    MINUTE,
    [100, DAY],
  ),
  validateTimeout: duration(
    'Svc:Scripts:ValidateTimeout',
    'How long an extension may check a record before it is written; many have Svc:Scripts:Timeout',
    5 * SECOND,
    [100, HOUR],
  ),
  maxMemory: bytes(
    'Svc:Scripts:MaxMemory',
    'Memory beyond which the process of an extension is ended',
    512 * MB,
    [96 * MB, 1024 * 1024 * MB],
  ),
  concurrency: integer(
    'Svc:Scripts:Concurrency',
    'Scripts and handlers that run at the same time',
    4,
    [1, 64],
  ),
}

export const JOBS = {
  workers: integer('Svc:Jobs:Workers', 'Jobs that run at the same time', 16, [1, 1000]),
  queues: list(
    'Svc:Jobs:Queues',
    'Queues of jobs, the first before the others: name, name:workers or name:workers@perMinute; ' +
      'critical, default, extensions:4, webhooks:4, imports:2 and low unless given',
    {
      each: QUEUE_FORM,
      expected: 'a name, with its workers like mail:4 and its rate like mail:4@60',
    },
  ),
  timeZone: zone(
    'Svc:Jobs:TimeZone',
    'The zone of schedules that belong to no one company and name none',
  ),
  timeout: duration(
    'Svc:Jobs:Timeout',
    'How long a run of a job may take unless its kind says more; then it counts as failed',
    HOUR,
    [100, 7 * DAY],
  ),
  retention: duration(
    'Svc:Jobs:Retention',
    'How long a job that succeeded or was deleted can be looked at; a failed one four times that',
    7 * DAY,
    [SECOND, 3650 * DAY],
  ),
  retryDelay: duration(
    'Svc:Jobs:RetryDelay',
    'The wait before a job that failed is tried a second time; each further wait is longer',
    10 * SECOND,
    [1, HOUR],
  ),
}

export const PRINTED_REPORTS = {
  concurrency: integer(
    'Svc:PrintedReports:Concurrency',
    'Code-defined reports that are made at the same time',
    2,
    [1, 16],
  ),
  timeout: duration(
    'Svc:PrintedReports:Timeout',
    'How long a code-defined report may take to read its rows, and again to be drawn',
    5 * MINUTE,
    [10, DAY],
  ),
  jobAfter: duration(
    'Svc:PrintedReports:JobAfter',
    'How long a code-defined report is made for its request alone; then it goes on as a job',
    5 * SECOND,
    [1, DAY],
  ),
  maxMemory: bytes(
    'Svc:PrintedReports:MaxMemory',
    'Memory beyond which a process that draws documents is ended',
    512 * MB,
    [128 * MB, 64 * 1024 * MB],
  ),
}

/** See `Part`. */
export const engineFloor: Part = {
  translations: {
    de: [
      ...GERMAN,
      ...ACCESS_GERMAN,
      ...COMMENTS_GERMAN,
      ...EXTENSION_GERMAN,
      ...JOB_GERMAN,
      ...OBJECT_GERMAN,
      ...MANY_GERMAN,
      ...OUTBOUND_GERMAN,
      ...PRINTED_GERMAN,
      ...SAVED_VIEWS_GERMAN,
      ...TIMELINE_GERMAN,
      ...WIZARD_GERMAN,
      ...WORKFLOW_GERMAN,
      ...ASSISTANT_GERMAN,
    ],
  },
  settings: [
    { CACHE_MAX_BYTES, SEARCH_MAX_BYTES, RESULTS_MAX_BYTES, REPORTS_MAX_ROWS, REPORTS_TIMEOUT },
    { DESIGNER_SQL },
    { REPORTS_USER_QUOTA, REQUIRE_ROW_VERSION, NAVBAR_BADGE_TIMEOUT },
    ...[EXPORTS, SCRIPTS, JOBS, PRINTED_REPORTS, MAIL, OUTBOUND, PUSH],
  ],
  times: ENGINE_TIMES,
}
