/** Settings of traces for OpenTelemetry. */
import { integer, list, text } from '../../kernel/setting.ts'

export const OTLP = {
  url: text(
    'Svc:Otlp:Url',
    'Address of an OpenTelemetry collector that takes OTLP over HTTP, such as ' +
      'http://127.0.0.1:4318; without it nothing is traced',
    '',
    { pattern: /^https?:\/\/[^\s@?#/]+[^\s@?#]*$/i, expected: 'an http or https address' },
  ),
  headers: {
    ...list('Svc:Otlp:Headers', 'Headers for the collector: name=value, separated by commas', {
      each: /^[!#$%&'*+.^_`|~\w-]+=[\x20-\x2b\x2d-\x7e]+$/,
      expected: 'headers like api-key=secret',
    }),
    isSecret: true,
  },
  service: text(
    'Svc:Otlp:Service',
    'The service.name that the collector knows this server by',
    'appengine',
    { pattern: /^[\w.:/-]{1,100}$/, expected: 'a name of letters, digits and . : / - _' },
  ),
  share: integer(
    'Svc:Otlp:SharePercent',
    'The part of the traces that are sent, chosen by their id, so that services agree on it',
    100,
    [1, 100],
  ),
}
