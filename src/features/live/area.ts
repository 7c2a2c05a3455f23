/** Area of notifications and their hub in the OpenAPI document. */
export const AREA = {
  name: 'Notifications',
  description:
    'Live events for users, each in their company. The hub speaks the SignalR JSON protocol, ' +
    'version 1, over WebSockets: clients of SignalR for JavaScript and .NET connect as they are.',
}
