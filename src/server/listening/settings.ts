/** Settings of the server's sockets: TLS, the redirect to it, and a Unix socket. */
import { DAY, duration, integer, SECOND, text } from '../../kernel/setting.ts'
import type { Settings } from '../../kernel/settings.ts'

export const LISTENING = {
  certificate: text(
    'Svc:Http:Tls:Cert',
    'PEM file of the certificate, followed by its chain; read again when it changes',
    '',
  ),
  key: text(
    'Svc:Http:Tls:Key',
    'PEM file of the private key of Svc:Http:Tls:Cert; read again when it changes',
    '',
  ),
  redirectPort: integer(
    'Svc:Http:Tls:RedirectPort',
    'Port of plain HTTP that sends callers to https, such as 80; 0 for none',
    0,
    [0, 65_535],
  ),
  challenges: text(
    'Svc:Http:Tls:Challenges',
    'Folder whose files answer ACME at RedirectPort, as `certbot --webroot` writes them',
    '',
  ),
  hsts: duration(
    'Svc:Http:Tls:Hsts',
    'How long browsers remember to come by https alone (Strict-Transport-Security); 0s for not',
    180 * DAY,
    [0, 3650 * DAY],
  ),
  unix: text(
    'Svc:Http:Unix',
    'Unix socket to listen on for a proxy of this machine; beside it a port only by --port',
    '',
  ),
  unixMode: text('Svc:Http:UnixMode', 'Rights of the Unix socket, in octal', '660', {
    pattern: /^0?[0-7]{3}$/,
    expected: 'rights in octal like 660',
  }),
}

/** The header Strict-Transport-Security of each answer; undefined without TLS, or for `0s`. */
export function findHsts(settings: Settings): string | undefined {
  const seconds = Math.floor(settings.get(LISTENING.hsts) / SECOND)
  const isSent = settings.get(LISTENING.certificate) !== '' && seconds > 0
  return isSent ? `max-age=${seconds}` : undefined
}
