/**
 * Names that authored SQL may use. Always an allowed list, never a forbidden one: libSQL carries
 * functions that read and write files, run SQL from text and reach memory (src/store/README.md, SQL
 * gate).
 */

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * Engine tables that authored SQL may read, with the columns that it may see (src/model/README.md,
 * Context parameters). The gate and the shadows both use this.
 */
export const PUBLISHED_TABLES = {
  svc_users: ['Id', 'UserName', 'DisplayName', 'Email', 'Active'],
  svc_companies: ['Id', 'Code', 'Name', 'TimeZone'],
  svc_user_roles: ['UserId', 'Role', 'CompanyId'],
  svc_zone: ['FromAt', 'ToAt', 'Shift'],
  svc_workflow_instances: [
    ...['Id', 'Workflow', 'Entity', 'RecordKey', 'State', 'Status', 'EnteredAt', 'StartedBy'],
    ...['StartedAt', 'EndedAt'],
  ],
  svc_workflow_history: [
    ...['Id', 'InstanceId', 'At', 'UserId', 'Action', 'FromState', 'ToState', 'Since'],
  ],
  svc_workflow_tasks: [
    ...['Id', 'InstanceId', 'Workflow', 'State', 'Status', 'ClaimedBy', 'DueAt', 'CreatedAt'],
    ...['EndedAt', 'EscalatedAt'],
  ],
  svc_workflow_assignees: ['TaskId', 'UserId', 'Role'],
} as const satisfies Record<string, readonly string[]>

/** Date functions; they are also held to their arguments, so that none of them reads the clock. */
export const DATE_FUNCTIONS = names('date time datetime julianday unixepoch strftime timediff')

/** Functions whose first argument must be a checked literal. */
export const FORMAT_FUNCTIONS = names('printf format')

/**
 * Pure functions of SQLite. Left out with reason: `unhex`, `jsonb…` and all others that make BLOBs,
 * since a BLOB read as text may not be UTF-8, and such text ends the whole process in the package;
 * `concat_ws` (CVE-2025-29087); functions of bundled extensions, which no one vouches for; `log2`,
 * `mod`, `pow` and `trunc`, which the package lacks. The reference lists them.
 */
export const FUNCTION_GROUPS: Readonly<Record<string, ReadonlySet<string>>> = {
  'Texts and values': names(`
    abs char coalesce concat glob hex ifnull iif instr length like likelihood likely lower ltrim
    max min nullif octet_length quote replace round rtrim sign soundex substr substring trim typeof
    unicode unlikely upper`),
  Sums: names('avg count group_concat string_agg sum total'),
  Windows: names(`
    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank
    row_number`),
  JSON: names(`
    json json_array json_array_length json_each json_error_position json_extract json_group_array
    json_group_object json_insert json_object json_patch json_quote json_remove json_replace
    json_set json_tree json_type json_valid -> ->>`),
  Mathematics: names(`
    acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 pi
    power radians sin sinh sqrt tan tanh`),
  Dates: DATE_FUNCTIONS,
  Formats: FORMAT_FUNCTIONS,
}

/** Functions of all groups. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  Object.values(FUNCTION_GROUPS).flatMap((group) => [...group]),
)

/** Virtual tables that authored SQL may read. */
export const MODULES = names('json_each json_tree')

/** Pairs names of other databases with the advice what to use here. */
function hint(advice: string, text: string): [string, string][] {
  return text.split(' ').map((name) => [name, advice])
}

/** Advice for functions that are not available. */
export const FUNCTION_HINTS: ReadonlyMap<string, string> = new Map([
  ['random', 'statements must give the same answer when they run again'],
  ['randomblob', 'statements must give the same answer when they run again'],
  ['last_insert_rowid', 'take the key by RETURNING'],
  ['changes', 'use <Sql Rows="…"> to require a number of changed rows'],
  ['total_changes', 'use <Sql Rows="…"> to require a number of changed rows'],
  ['concat_ws', 'join the parts by ||'],
  ['concat', 'join the parts by ||'],
  ...hint("write @Now, or @Today for the caller's day", 'now getdate getutcdate sysdate'),
  ...hint('write coalesce', 'nvl'),
  ...hint('write length', 'len char_length datalength'),
  ...hint('write instr', 'charindex strpos locate position'),
  ...hint('write substr', 'left right mid'),
  ...hint("write date(…, '+1 day')", 'dateadd date_add date_sub adddate'),
  ...hint('subtract one julianday from the other', 'datediff date_diff'),
  ...hint("write strftime('%Y', …), '%m' or '%d'", 'year month day datepart extract'),
  ...hint('write strftime', 'date_format to_char'),
  ...hint('write CAST(… AS TEXT)', 'convert to_number to_date str'),
  ...hint('write group_concat', 'listagg'),
  ['mod', 'write %'],
  ['pow', 'write power'],
  ['log2', 'write ln(…) / ln(2)'],
  ['trunc', 'write CAST(… AS INTEGER)'],
  ['regexp', 'use LIKE or GLOB in SQL and Pattern for fields'],
  ['jsonb', 'use json'],
])

/** Unquoted words that come before a bracket without calling anything. */
export const BRACKET_WORDS = names(`
  all and as between by case cast conflict distinct else escape except exists filter from full glob
  having in insert intersect is isnull join like limit materialized not notnull null offset on or
  over partition returning select set then union update using values when where window`)

/** Types that CAST may name. None gives a BLOB. */
export const CAST_TYPES = names(`
  bigint boolean char character date datetime decimal double float int integer numeric nvarchar
  precision real smallint text time tinyint varchar varying`)

/** Instructions of SQLite's machine that compute, read, or write rows; all others are refused. */
export const OPCODES = names(`
  Add AddImm Affinity AggFinal AggInverse AggStep AggStep1 AggValue And BeginSubrtn BitAnd BitNot
  BitOr Blob Cast Clear Close ClrSubtype CollSeq Column ColumnsUsed Compare Concat Copy Count
  CursorHint CursorLock CursorUnlock DecrJumpZero DeferredSeek Delete Divide ElseEq EndCoroutine Eq
  Explain Filter FilterAdd FinishSeek FkCheck Found Function Ge GetSubtype Gosub Goto Gt Halt
  HaltIfNull IdxDelete IdxGE IdxGT IdxInsert IdxLE IdxLT IdxRowid If IfNoHope IfNot IfNotOpen
  IfNotZero IfNullRow IfPos IfSmaller Init InitCoroutine Insert Int64 IntCopy Integer IsNull IsTrue
  IsType Jump Last Le Lt MakeRecord MemMax Move Multiply MustBeInt Ne NewRowid Next NoConflict Noop
  Not NotExists NotFound NotNull Null NullRow OffsetLimit Once OpenAutoindex OpenDup OpenEphemeral
  OpenPseudo OpenRead OpenWrite Or Permutation Prev PureFunc Real RealAffinity ReleaseReg Remainder
  ReopenIdx ResetCount ResetSorter ResultRow Return Rewind RowCell RowData RowSetAdd RowSetRead
  RowSetTest Rowid SCopy SeekEnd SeekGE SeekGT SeekHit SeekLE SeekLT SeekRowid SeekScan Sequence
  SequenceTest SetSubtype ShiftLeft ShiftRight SoftNull Sort SorterCompare SorterData SorterInsert
  SorterNext SorterOpen SorterSort String String8 Subtract Transaction TypeCheck VColumn VFilter
  VInitIn VNext VOpen VPreparedSql Variable Yield ZeroOrNull`)
