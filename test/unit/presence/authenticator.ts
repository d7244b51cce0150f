import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { PasskeyAssertion, PasskeyAttestation } from '../../../src/shared/contract/presence.ts';

/** What an authenticator says of the person (WebAuthn, section 6.1). */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED = 0x40;

export interface Signing {
  readonly challenge: string;
  readonly origin: string;
  readonly rpId?: string;
  /** False: touched only, without a finger, face or PIN. */
  readonly verified?: boolean;
  readonly counter?: number;
  readonly type?: string;
}

/** A software authenticator with one ES256 credential: it signs whatever a test says, so that main's own checks are what refuses. */
export interface Authenticator {
  readonly id: string;
  attest(signing: Signing): PasskeyAttestation;
  assert(signing: Signing): PasskeyAssertion;
}

export function softwareAuthenticator(): Authenticator {
  const id = randomBytes(32);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' as const };
  const data = ({ rpId = 'localhost', verified = true, counter = 0 }: Signing, extra = 0): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.of(USER_PRESENT | (verified ? USER_VERIFIED : 0) | extra), count]);
  };
  const client = (type: string, { challenge, origin }: Signing): Buffer => Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  return {
    id: name.id,
    attest(signing) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const authData = Buffer.concat([data(signing, ATTESTED), Buffer.alloc(16), length, id, coseKey(publicKey)]);
      const attestationObject = Buffer.concat([Buffer.of(0xa3), text('fmt'), text('none'), text('attStmt'), Buffer.of(0xa0), text('authData'), bytes(authData)]);
      return { ...name, response: { clientDataJSON: client(signing.type ?? 'webauthn.create', signing).toString('base64url'), attestationObject: attestationObject.toString('base64url'), transports: ['internal'] } };
    },
    assert(signing) {
      const authenticatorData = data(signing);
      const clientDataJSON = client(signing.type ?? 'webauthn.get', signing);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientDataJSON)]), privateKey);
      return { ...name, response: { clientDataJSON: clientDataJSON.toString('base64url'), authenticatorData: authenticatorData.toString('base64url'), signature: signature.toString('base64url') } };
    },
  };
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** CBOR (RFC 8949): a text of up to 23 bytes, and a byte string of up to 65,535. */
const text = (value: string): Buffer => Buffer.concat([Buffer.of(0x60 | value.length), Buffer.from(value)]);
const bytes = (value: Buffer): Buffer => Buffer.concat([value.length < 256 ? Buffer.of(0x58, value.length) : Buffer.of(0x59, value.length >> 8, value.length & 0xff), value]);

/** COSE (RFC 9053): an EC2 key on P-256 for ES256. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21), bytes(Buffer.from(x, 'base64url')), Buffer.of(0x22), bytes(Buffer.from(y, 'base64url'))]);
}
