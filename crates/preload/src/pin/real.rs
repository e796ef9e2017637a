//! libc's own functions behind the overrides.

use core::ffi::{CStr, c_void};
use core::marker::PhantomData;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering::Relaxed};
use libc::{
    c_char, c_int, c_uint, clockid_t, pthread_attr_t, pthread_barrier_t, pthread_barrierattr_t,
    pthread_cond_t, pthread_mutex_t, pthread_rwlock_t, pthread_t, sem_t, timespec, timeval,
};

/// One of libc's functions, of type `F`.
pub(super) struct Next<F> {
    name: &'static CStr,
    /// The symbol's version, where old ones with another meaning exist too.
    version: Option<&'static CStr>,
    address: AtomicPtr<c_void>,
    function: PhantomData<F>,
}

impl<F: Copy> Next<F> {
    const fn new(name: &'static CStr) -> Self {
        Self {
            name,
            version: None,
            address: AtomicPtr::new(ptr::null_mut()),
            function: PhantomData,
        }
    }

    const fn versioned(name: &'static CStr, version: &'static CStr) -> Self {
        Self { version: Some(version), ..Self::new(name) }
    }

    /// Looks it up again and again until it is there: libraries that are initialised before this
    /// one may already call it.
    pub(super) fn get(&self) -> Option<F> {
        self.known().or_else(|| {
            self.address.store(self.find(), Relaxed);
            self.known()
        })
    }

    /// The function, where it has been looked up before.
    #[inline]
    pub(super) fn known(&self) -> Option<F> {
        let address = self.address.load(Relaxed);
        // SAFETY: `F` is a pointer to a function, as large as an address, and each constant below
        // gives the type that libc's headers give to the name.
        (!address.is_null())
            .then(|| unsafe { core::mem::transmute_copy::<*mut c_void, F>(&address) })
    }

    fn find(&self) -> *mut c_void {
        // SAFETY: both names are terminated.
        unsafe {
            let versioned = self.version.map_or(ptr::null_mut(), |version| {
                dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), version.as_ptr())
            });
            if versioned.is_null() {
                libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr())
            } else {
                versioned
            }
        }
    }
}

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

/// The version since which condition variables have their present form, on x86-64.
const CONDITIONS: &CStr = c"GLIBC_2.3.2";

type ClockRead = unsafe extern "C" fn(clockid_t, *mut timespec) -> c_int;
type CondWait = unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t) -> c_int;
type CondWake = unsafe extern "C" fn(*mut pthread_cond_t) -> c_int;
type Semaphore = unsafe extern "C" fn(*mut sem_t) -> c_int;
type Create =
    unsafe extern "C" fn(*mut pthread_t, *const pthread_attr_t, *mut c_void, *mut c_void) -> c_int;
type Join = unsafe extern "C" fn(pthread_t, *mut *mut c_void) -> c_int;
type SetName = unsafe extern "C" fn(pthread_t, *const c_char) -> c_int;
pub(super) type FileOpen = unsafe extern "C" fn(*const c_char, *const c_char) -> *mut libc::FILE;
type TimeOfDay = unsafe extern "C" fn(*mut timeval, *mut c_void) -> c_int;
type CondTimedWait =
    unsafe extern "C" fn(*mut pthread_cond_t, *mut pthread_mutex_t, *const timespec) -> c_int;
type CondClockWait = unsafe extern "C" fn(
    *mut pthread_cond_t,
    *mut pthread_mutex_t,
    clockid_t,
    *const timespec,
) -> c_int;
type SemClockWait = unsafe extern "C" fn(*mut sem_t, clockid_t, *const timespec) -> c_int;
type Lock = unsafe extern "C" fn(*mut pthread_rwlock_t) -> c_int;
pub(super) type LockUntil =
    unsafe extern "C" fn(*mut pthread_rwlock_t, clockid_t, *const timespec) -> c_int;
type Mutex = unsafe extern "C" fn(*mut pthread_mutex_t) -> c_int;
type Barrier = unsafe extern "C" fn(*mut pthread_barrier_t) -> c_int;
type BarrierInit =
    unsafe extern "C" fn(*mut pthread_barrier_t, *const pthread_barrierattr_t, c_uint) -> c_int;
type ThreadCreate = unsafe extern "C" fn(*mut pthread_t, *mut c_void, *mut c_void) -> c_int;
type MutexClockLock =
    unsafe extern "C" fn(*mut pthread_mutex_t, clockid_t, *const timespec) -> c_int;

pub(super) static CLOCK_GETTIME: Next<ClockRead> = Next::new(c"clock_gettime");
pub(super) static GETTIMEOFDAY: Next<TimeOfDay> = Next::new(c"gettimeofday");
pub(super) static PTHREAD_CREATE: Next<Create> = Next::new(c"pthread_create");
pub(super) static PTHREAD_JOIN: Next<Join> = Next::new(c"pthread_join");
pub(super) static FOPEN: Next<FileOpen> = Next::new(c"fopen");
pub(super) static FOPEN64: Next<FileOpen> = Next::new(c"fopen64");
pub(super) static SETNAME: Next<SetName> = Next::new(c"pthread_setname_np");
pub(super) static SEM_WAIT: Next<Semaphore> = Next::new(c"sem_wait");
pub(super) static SEM_POST: Next<Semaphore> = Next::new(c"sem_post");
pub(super) static COND_WAIT: Next<CondWait> = Next::versioned(c"pthread_cond_wait", CONDITIONS);
pub(super) static COND_SIGNAL: Next<CondWake> = Next::versioned(c"pthread_cond_signal", CONDITIONS);
pub(super) static COND_BROADCAST: Next<CondWake> =
    Next::versioned(c"pthread_cond_broadcast", CONDITIONS);
pub(super) static COND_TIMEDWAIT: Next<CondTimedWait> =
    Next::versioned(c"pthread_cond_timedwait", CONDITIONS);
pub(super) static COND_CLOCKWAIT: Next<CondClockWait> = Next::new(c"pthread_cond_clockwait");
pub(super) static SEM_CLOCKWAIT: Next<SemClockWait> = Next::new(c"sem_clockwait");
pub(super) static MUTEX_LOCK: Next<Mutex> = Next::new(c"pthread_mutex_lock");
pub(super) static MUTEX_UNLOCK: Next<Mutex> = Next::new(c"pthread_mutex_unlock");
pub(super) static BARRIER_INIT: Next<BarrierInit> = Next::new(c"pthread_barrier_init");
pub(super) static BARRIER_WAIT: Next<Barrier> = Next::new(c"pthread_barrier_wait");
pub(super) static BARRIER_DESTROY: Next<Barrier> = Next::new(c"pthread_barrier_destroy");
pub(super) static THRD_CREATE: Next<ThreadCreate> = Next::new(c"thrd_create");
pub(super) static MUTEX_CLOCKLOCK: Next<MutexClockLock> = Next::new(c"pthread_mutex_clocklock");
pub(super) static READ_LOCK: Next<Lock> = Next::new(c"pthread_rwlock_rdlock");
pub(super) static READ_LOCK_UNTIL: Next<LockUntil> = Next::new(c"pthread_rwlock_clockrdlock");
pub(super) static WRITE_LOCK: Next<Lock> = Next::new(c"pthread_rwlock_wrlock");
pub(super) static WRITE_LOCK_UNTIL: Next<LockUntil> = Next::new(c"pthread_rwlock_clockwrlock");
pub(super) static UNLOCK: Next<Lock> = Next::new(c"pthread_rwlock_unlock");
