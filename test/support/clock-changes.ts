/**
 * Nights on which clocks are changed, rows around them, and an oracle that says which of them a
 * filter means. It looks at the calendar day that each instant has in the zone, and never at where
 * a day begins, as the product does.
 */
import { makePeople } from './people.ts'
import type { TestApplication } from './template.ts'

/** A night and the zone in which something happens to the clocks, or nothing does. */
export interface Night {
  zone: string
  /** The day that has another length. */
  day: string
  /** Hours of that day. */
  hours: number
}

export const NIGHTS: readonly Night[] = [
  { zone: 'Europe/Berlin', day: '2025-03-30', hours: 23 },
  { zone: 'Europe/Berlin', day: '2025-10-26', hours: 25 },
  { zone: 'America/New_York', day: '2025-03-09', hours: 23 },
  { zone: 'America/New_York', day: '2025-11-02', hours: 25 },
  { zone: 'Australia/Lord_Howe', day: '2025-10-05', hours: 23.5 },
  { zone: 'Australia/Lord_Howe', day: '2025-04-06', hours: 24.5 },
  // Midnight itself is skipped here, and comes twice there.
  { zone: 'Africa/Cairo', day: '2025-04-25', hours: 23 },
  { zone: 'America/Havana', day: '2025-11-02', hours: 25 },
  { zone: 'America/Santiago', day: '2025-04-05', hours: 25 },
  // A whole day was skipped before this one.
  { zone: 'Pacific/Apia', day: '2011-12-31', hours: 24 },
  // No clock is changed; the day is the first of a month, a quarter and a year.
  { zone: 'UTC', day: '2025-01-01', hours: 24 },
  { zone: 'Asia/Kolkata', day: '2025-03-01', hours: 24 },
  { zone: 'Asia/Kathmandu', day: '2025-07-01', hours: 24 },
  { zone: 'Pacific/Kiritimati', day: '2025-01-01', hours: 24 },
  { zone: 'Pacific/Pago_Pago', day: '2024-12-31', hours: 24 },
]

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** When a day begins in a zone, in milliseconds: the first instant that has that day. */
export function beginOf({ zone, day }: Pick<Night, 'zone' | 'day'>): number {
  // From before any zone has the day, forward a quarter of an hour at a time.
  let at = Date.parse(day) - 15 * 60 * MINUTE
  while (dayAt(at, zone) < day) at += 15 * MINUTE
  return at
}

/** The calendar day of an instant in a zone, as `YYYY-MM-DD`. */
export const dayAt = (milliseconds: number, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(milliseconds)
    .toZonedDateTimeISO(zone)
    .toPlainDate()
    .toString()

/**
 * Instants around a night: every quarter of an hour of three days, with a millisecond to both
 * sides, and one of each day of four months.
 */
export function instantsAround(night: Night): string[] {
  const begin = beginOf(night)
  const near = Array.from({ length: 3 * 96 }, (_, at) => begin - DAY + at * 15 * MINUTE)
  const far = Array.from({ length: 120 }, (_, at) => begin + (at - 60) * DAY + 1)
  const all = [...near.flatMap((at) => [at - 1, at, at + 1]), ...far]
  return [...new Set(all)].map((at) => new Date(at).toISOString())
}

type Day = Temporal.PlainDate
type Means = (day: Day, today: Day) => boolean

const weekOf = (day: Day): string => `${day.yearOfWeek}-${day.weekOfYear}`
const monthOf = (day: Day): string => day.toPlainYearMonth().toString()
const quarterOf = (day: Day): string => `${day.year}-${Math.floor((day.month - 1) / 3)}`
const daysAfter = (day: Day, today: Day): number => today.until(day, { largestUnit: 'day' }).days

/** The meaning of date words, day by day (src/server/README.md, Objects). */
export const WORDS: Readonly<Record<string, Means>> = {
  today: (day, today) => day.equals(today),
  yesterday: (day, today) => daysAfter(day, today) === -1,
  tomorrow: (day, today) => daysAfter(day, today) === 1,
  thisWeek: (day, today) => weekOf(day) === weekOf(today),
  lastWeek: (day, today) => weekOf(day.add({ weeks: 1 })) === weekOf(today),
  nextWeek: (day, today) => weekOf(day.subtract({ weeks: 1 })) === weekOf(today),
  thisMonth: (day, today) => monthOf(day) === monthOf(today),
  lastMonth: (day, today) =>
    day.toPlainYearMonth().add({ months: 1 }).toString() === monthOf(today),
  thisQuarter: (day, today) => quarterOf(day) === quarterOf(today),
  thisYear: (day, today) => day.year === today.year,
  last7Days: (day, today) => daysAfter(day, today) <= 0 && daysAfter(day, today) > -7,
  next30Days: (day, today) => daysAfter(day, today) >= 0 && daysAfter(day, today) < 30,
}

/** A comparison with a day, by operator. */
export const COMPARISONS: Readonly<Record<string, (day: string, value: string) => boolean>> = {
  eq: (day, value) => day === value,
  ne: (day, value) => day !== value,
  lt: (day, value) => day < value,
  le: (day, value) => day <= value,
  gt: (day, value) => day > value,
  ge: (day, value) => day >= value,
}

const MODEL = `<Model>
<Entity Name="Moment" Table="moments" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Night" Type="Integer" Required="true"/>
  <Column Name="At" Type="DateTime"/>
  <Column Name="Day" Type="Date"/>
</Entity>
<Entity Name="Slip" Table="slips" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Daily" Sequence="Daily"/>
  <Column Name="Monthly" Sequence="Monthly"/>
  <Column Name="Yearly" Sequence="Yearly"/>
  <Column Name="Drawn"/>
  <Column Name="Since" Type="Date" Default="@Today"/>
  <Sequence Name="Daily" Format="{yyyy}{MM}{dd}-{#}" Reset="Daily" PerCompany="true"/>
  <Sequence Name="Monthly" Format="{yyyy}{MM}-{#}" Reset="Monthly" PerCompany="true"/>
  <Sequence Name="Yearly" Format="{yy}-{#}" Reset="Yearly" PerCompany="true"/>
  <Sequence Name="Own" Format="{dd}-{#}" Reset="Daily" PerCompany="true"/>
</Entity>
<ObjectView Name="Moments" Entity="Moment"/>
<ObjectView Name="Context" Entity="Moment">
  <TableQuery>SELECT m.Id, m.CompanyId, @Now AS Now, @Today AS Today, @MonthStart AS MonthStart,
    @YearStart AS YearStart, @TimeZone AS Zone, @UtcOffsetMinutes AS Offset,
    strftime('%Y-%m-%d', @Now, @UtcOffsetMinutes || ' minutes') AS Shifted FROM moments m</TableQuery>
  <Field Name="Offset" Type="Integer"/>
</ObjectView>
<ObjectView Name="Shown" Entity="Moment">
  <TableQuery>SELECT m.Id, m.CompanyId, m.Night, m.At, date(m.At, z.Shift) AS Local FROM moments m
    LEFT JOIN svc_zone z ON m.At &gt;= z.FromAt AND m.At &lt; z.ToAt</TableQuery>
  <Field Name="Local" Type="Date"/>
</ObjectView>
<Report Name="Parts">
  <Filters><Filter Name="Night" Type="Integer"/><Filter Name="From" Type="Date"/><Filter Name="Until" Type="Date"/></Filters>
  <DataSets>
    <DataSet Name="Groups"><Sql>SELECT strftime('%Y-%m', m.At, z.Shift) AS "Month", strftime('%Y-W', m.At, z.Shift, '-3 days', 'weekday 4')
      || printf('%02d', (strftime('%j', m.At, z.Shift, '-3 days', 'weekday 4') + 6) / 7) AS "Week",
      date(m.At, z.Shift) AS "Day", CAST(strftime('%H', m.At, z.Shift) AS INTEGER) AS "Hour", count(*) AS N
      FROM moments m JOIN svc_zone z ON m.At &gt;= z.FromAt AND m.At &lt; z.ToAt
      WHERE m.Night = @Night AND (@From IS NULL OR m.At &gt;= @From_Start) AND (@Until IS NULL OR m.At &lt; @Until_End)
      GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4</Sql></DataSet>
    <DataSet Name="Bounds" Mode="Single"><Sql>SELECT @From_Start AS FromStart, @From_End AS FromEnd, @Until_Start AS UntilStart, @Until_End AS UntilEnd</Sql></DataSet>
    <DataSet Name="Spans"><Sql>SELECT * FROM svc_zone ORDER BY FromAt</Sql></DataSet>
  </DataSets>
  <Widgets><Widget Name="Groups" Kind="Table" DataSet="Groups"/><Widget Name="Bounds" Kind="Table" DataSet="Bounds"/><Widget Name="Spans" Kind="Table" DataSet="Spans"/></Widgets>
</Report>
<StoredProcedure Name="Nightly" Mode="Read"><Parameter Name="Night" Type="Integer"/><Sql Result="Days">SELECT date(m.At, z.Shift) AS "Day", count(*) AS N
  FROM svc_zone z JOIN moments m ON z.FromAt &lt;= m.At AND z.ToAt &gt; m.At WHERE m.Night = @Night GROUP BY 1 ORDER BY 1</Sql></StoredProcedure>
<Navbar Name="main"><Item Name="Here" Object="Moments"><Badge>SELECT count(*) FROM moments m WHERE EXISTS (SELECT 1 FROM svc_zone z
  WHERE m.At &gt;= z.FromAt AND m.At &lt; z.ToAt AND date(m.At, z.Shift) = @Today)</Badge></Item></Navbar>
<ObjectView Name="Slips" Entity="Slip">
  <RowAction Name="Draw" Label="Draw" Capability="Update">
    <Sql>UPDATE slips SET Drawn = @Next_Own WHERE Id = @Id</Sql>
  </RowAction>
</ObjectView>
</Model>`

const ACCESS = `<Rbac>
  <Role Name="Clerk" Label="Clerk">
    <Grant Resource="Moments" Verbs="View List Create Update"/>
    <Grant Resource="Shown" Verbs="View List"/>
    <Grant Resource="Parts" Verbs="View List"/>
    <Grant Resource="Nightly" Capabilities="Execute"/>
    <Grant Resource="Context" Verbs="View List"/>
    <Grant Resource="Slips" Verbs="View List Create Update"/>
  </Role>
</Rbac>`

/** Moments, the context parameters as columns, and slips that draw numbers. */
export const NIGHT_RECORDS: TestApplication = {
  files: [
    { name: 'model.xml', body: MODEL },
    { name: 'access.xml', body: ACCESS },
  ],
  ...makePeople('ONE TWO', { sys: 'System in ONE TWO', clerk: 'Clerk', other: 'Clerk in TWO' }),
}
