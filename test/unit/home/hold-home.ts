// Opens a data folder and keeps it until it is killed, also when garbage is collected.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openHome } from '../../../src/main/adapters/home/home.ts';

openHome({ environment: 'sandbox', home: process.argv[2]! });
setFlagsFromString('--expose-gc');
runInNewContext('gc')();
// A native handle is closed by a finalizer, which runs in a later turn.
setTimeout(() => console.log('open'), 50);
setInterval(() => undefined, 1000);
