/** The figures and the settings of the server as the wire has them. */
import { Type } from '@sinclair/typebox'
import type { Figure, Labels } from '../../kernel/figures.ts'
import { instant, named, oneOf, orNull } from '../../kernel/schema.ts'
import type { SettingDescription } from '../../kernel/settings.ts'

const FigureSeries = named(
  'FigureSeries',
  Type.Object(
    {
      Labels: Type.Record(Type.String(), Type.String(), {
        description: 'Never a user, a company or a record',
      }),
      Value: Type.Number({ description: 'Of a histogram the number of its values' }),
      Sum: Type.Optional(Type.Number({ description: 'Of the values of a histogram' })),
      Buckets: Type.Optional(
        Type.Array(
          named(
            'FigureBucket',
            Type.Object({
              UpTo: orNull(Type.Number({ description: 'Null: no bound' })),
              Count: Type.Integer({ description: 'Values up to this bound' }),
            }),
          ),
          { description: 'Of a histogram, by their bounds; each count has those before it' },
        ),
      ),
    },
    { examples: [{ Labels: { database: 'engine' }, Value: 0 }] },
  ),
)

export const Statistics = named(
  'ServerStatistics',
  Type.Object(
    {
      At: instant('When they were read'),
      Figures: Type.Array(
        named(
          'Figure',
          Type.Object({
            Name: Type.String({ description: 'As `/metrics` has it, in seconds and bytes' }),
            Help: Type.String(),
            Kind: oneOf(['counter', 'gauge', 'histogram']),
            Series: Type.Array(FigureSeries),
          }),
        ),
      ),
    },
    {
      examples: [
        {
          At: '2026-11-28T09:30:00.000Z',
          Figures: [
            {
              Name: 'appengine_writer_queue',
              Help: 'Changes that wait for the writer',
              Kind: 'gauge',
              Series: [{ Labels: { database: 'engine' }, Value: 0 }],
            },
          ],
        },
      ],
    },
  ),
)

const finite = (value: number): number => (Number.isFinite(value) ? value : 0)

/** Turns a figure into its form on the wire. */
export function toWireFigure(figure: Figure) {
  const { name: Name, help: Help, kind: Kind } = figure
  if (figure.kind !== 'histogram') {
    const Series = figure.samples.map(({ labels: Labels = {}, value }) => ({
      Labels,
      Value: finite(value),
    }))
    return { Name, Help, Kind, Series }
  }
  const Series = figure.samples.map(({ labels: Labels = {} as Labels, histogram }) => {
    let below = 0
    const Buckets = histogram.counts.map((count, at) => ({
      UpTo: histogram.bounds[at] ?? null,
      Count: (below += count),
    }))
    return { Labels, Value: histogram.count, Sum: histogram.sum, Buckets }
  })
  return { Name, Help, Kind, Series }
}

export const ServerSetting = named(
  'ServerSetting',
  Type.Object(
    {
      Name: Type.String(),
      Meaning: Type.String(),
      Value: orNull(Type.String({ description: 'Null: it is secret, or may be' })),
      Default: Type.String(),
      Source: Type.String({ description: 'Where its value comes from' }),
      IsSecret: Type.Boolean({ description: 'Its value is never shown' }),
    },
    {
      examples: [
        {
          Name: 'Svc:Sql:Timeout',
          Meaning: 'Longest time of a query',
          Value: '10s',
          Default: '30s',
          Source: 'environment',
          IsSecret: false,
        },
      ],
    },
  ),
)

/** A user and a password in an address: `https://name:word@host`. */
const CREDENTIALS = /(\/\/)[^/@\s]+@/g

/**
 * Turns a setting into its form on the wire. Nobody declares which settings of the application are
 * secret: none of them is shown.
 */
export function toWireSetting(described: SettingDescription, secrets: ReadonlySet<string>) {
  const { name, meaning, value, default: preset, source } = described
  const IsSecret = secrets.has(name) || /^app:/i.test(name)
  return {
    Name: name,
    Meaning: meaning,
    Value: IsSecret ? null : value.replace(CREDENTIALS, '$1********@'),
    Default: preset,
    Source: source,
    IsSecret,
  }
}
