import { Session } from "contextfold";
const text = (n)=> ("word"+n+" and some more text of a message ").repeat(26).slice(0,1000);
const log=[];
const store = { n:0, j:null,
 async read(k,f){ if(!this.j) return null; const {position,snapshot,sp,records}=this.j; const has=f!==undefined&&f>=sp; let rec=records; if(has) rec=records.slice(records.length-(position-f)); return {position,snapshot:has?null:snapshot,snapshotPosition:sp,records:Buffer.concat(rec)} },
 async append(k,e,r){ this.bytes=r.reduce((s,x)=>s+x.length,0); this.total=(this.total??0)+this.bytes; this.j.records.push(...r); this.j.position+=r.length; this.kind="append" },
 async replace(k,e,s,p){ this.bytes=s.length; this.total=(this.total??0)+this.bytes; this.j={position:p,snapshot:s,sp:p,records:[]}; this.kind="replace" },
 async getItem(){return null}, async setItem(){}, async removeItem(){} };
for (const n of [100,10000,100000]) {
  const s = new Session({ contextWindow: 1_000_000_000, compaction:{enabled:false} });
  const msgs=[]; for(let i=0;i<n;i++) msgs.push({role:i%2?"assistant":"user",content:text(i)});
  s.push(msgs); store.j=null; store.total=0;
  await s.save(store,"k"); const snap=store.bytes;
  const times=[], bytes=[];
  for (let i=0;i<200;i++){ s.push({role:i%2?"assistant":"user",content:text(i+n)}); const t=performance.now(); await s.save(store,"k"); times.push(performance.now()-t); bytes.push(store.bytes); }
  times.sort((a,b)=>a-b); bytes.sort((a,b)=>a-b);
  const t0=performance.now(); const l = await Session.load(store,"k"); const tl=performance.now()-t0;
  for (let i=0;i<10;i++){ s.push({role:i%2?"assistant":"user",content:text(i+n)}); await s.save(store,"k"); }
  const t1=performance.now(); await l.refresh(); const tr=performance.now()-t1;
  console.log(n, "snap",snap,"save p50", times[100].toFixed(3),"p99",times[198].toFixed(3),"bytes p50",bytes[100],bytes[199],"load",tl.toFixed(1),"refresh",tr.toFixed(1), l.messages.length===s.messages.length);
  s.free(); l.free();
}
{ const s=new Session({ contextWindow: 1_000_000_000, compaction:{enabled:false} }); store.j=null; store.total=0; let h=0; const t=performance.now();
for (let i=0;i<32000;i++){ const c=text(i); h+=c.length; s.push({role:i%2?"assistant":"user",content:c}); await s.save(store,"k"); }
console.log("32000: total", store.total/h, "history", h, performance.now()-t, "ms", "largest snapshot", store.j.snapshot.length/h); }
